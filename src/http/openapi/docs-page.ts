import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { openApiDocument } from './document.js';
import { SANDBOX_SCRIPT, serveSandboxSignIn } from './sandbox-sign-in.js';

const PAGE = 'api/docs';

// The page brings its own scripts and styles; everything else of the service may load nothing at all.
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
  strictTransportSecurity: false, // it also opens on plain HTTP
});

/** True for the documentation page and its files. */
export function isDocsPage(request: Request): boolean {
  return request.path === `/${PAGE}` || request.path.startsWith(`/${PAGE}/`);
}

export function docsPageHeaders(request: Request, response: Response, next: NextFunction): void {
  pageHelmet(request, response, next);
}

/**
 * Serves `/api/docs` and the document at `/api/openapi.json`; with the sandbox's address the page signs people in there.
 * Call it before the application is initialised.
 */
export function serveDocs(app: NestExpressApplication, version: string, sandboxUrl?: string): void {
  const express = app.getHttpAdapter().getInstance() as Express;
  if (sandboxUrl) serveSandboxSignIn(express, sandboxUrl);
  const read = () => ({}) as OpenAPIObject; // the page loads the document from swaggerUrl; a document given here would be kept in memory as text, too
  SwaggerModule.setup(PAGE, app, read, {
    raw: false,
    swaggerUrl: '/api/openapi.json',
    customSiteTitle: 'Stablecoin investment platform',
    ...(sandboxUrl ? { customJs: SANDBOX_SCRIPT, swaggerOptions: { persistAuthorization: true } } : {}),
  });
  let bytes: Buffer | undefined; // of more than a megabyte: made once, and shared by all responses
  express.get('/api/openapi.json', (_request, response) => {
    bytes ??= Buffer.from(JSON.stringify(openApiDocument(app, version)));
    response.type('json').send(bytes);
  });
}
