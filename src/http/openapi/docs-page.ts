import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { routerPath } from '../request/request-target.js';
import { RateLimits } from '../throttling/rate-limits.js';
import { DOCUMENT_PATH, serveDocument } from './document-route.js';
import { openApiDocument } from './document.js';
import { operationSearch } from './operation-search.js';
import { SANDBOX_SCRIPT, serveSandboxSignIn } from './sandbox-sign-in.js';

const PAGE = 'api/docs';

// The page loads its own scripts and styles. All other responses of the service forbid loading anything.
const pageHelmet = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  },
  strictTransportSecurity: false, // the page is also served over plain HTTP
});

/** True for the documentation page and its files. */
export function isDocsPage(request: Request): boolean {
  return `${routerPath(request.path)}/`.startsWith(`/${PAGE}/`);
}

export function docsPageHeaders(request: Request, response: Response, next: NextFunction): void {
  pageHelmet(request, response, next);
}

/**
 * Serves `/api/docs` and the document at `/api/openapi.json`. With `sandboxUrl` the page has the sandbox's sign-in form. Call
 * this function before the application is initialised.
 */
export function serveDocs(app: NestExpressApplication, version: string, sandboxUrl?: string): void {
  const express = app.getHttpAdapter().getInstance() as Express;
  if (sandboxUrl) serveSandboxSignIn(express, sandboxUrl);
  // The page loads the document from `swaggerUrl`. A document that is passed here would stay in memory as text, too.
  const emptyDocument = () => ({}) as OpenAPIObject;
  SwaggerModule.setup(PAGE, app, emptyDocument, {
    raw: false,
    swaggerUrl: DOCUMENT_PATH,
    customSiteTitle: 'Stablecoin investment platform',
    swaggerOptions: {
      docExpansion: 'none', // the page renders the operations of a tag when the reader opens it
      defaultModelsExpandDepth: -1,
      filter: true,
      plugins: [operationSearch],
      ...(sandboxUrl ? { persistAuthorization: true } : {}),
    },
    ...(sandboxUrl ? { customJs: SANDBOX_SCRIPT } : {}),
  });
  serveDocument(express, () => openApiDocument(app, version), app.get(RateLimits));
}
