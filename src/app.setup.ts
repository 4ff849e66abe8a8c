import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Server } from 'node:http';
import { AppModule } from './app.module.js';
import { secretsOf, type AppConfig } from './config/app-config.js';
import { VERSION } from './config/version.js';
import { takeBytes } from './http/request/body-reader.js';
import { answerMalformedRequests } from './http/response/malformed-request.js';
import { GracefulShutdown } from './http/resilience/graceful-shutdown.js';
import { JsonLogger } from './observability/logging/json-logger.js';
import { logRequest } from './http/response/request-log.js';
import { LoadShedder } from './http/resilience/load-shedder.js';
import { limitConnections } from './http/resilience/connection-limits.js';
import { docsPageHeaders, isDocsPage, serveDocs } from './http/openapi/docs-page.js';
import { ServedRequests } from './http/response/served-requests.js';
import { tracing } from './observability/tracing/trace.js';
import type { Clock } from './common/clock.js';
import { DomainError } from './common/errors/domain-error.js';
import { identityProviderAlias } from './modules/auth/identity-provider.strategy.js';

/** The application as it runs in production; the tests start the very same. */
export async function createApp(config: AppConfig, clock: Clock): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config, clock), {
    logger: new JsonLogger(config.LOG_LEVEL, secretsOf(config)),
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag'); // answers are never cached
  app.set('query parser', 'simple'); // a=1&a=2 is a list, a[b]=1 is not an object
  app.set('trust proxy', config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false);
  const served = app.get(ServedRequests);
  served.subscribe(logRequest);
  limitConnections(app.getHttpServer() as Server, config);
  const admission = app.get(LoadShedder);
  app.use(tracing, served.middleware, app.get(GracefulShutdown).middleware, securityHeaders);
  app.use(admission.door, cleanUrl, takeBytes, admission.turn);
  app.use(identityProviderAlias(config.IDP_NAME));
  serveDocs(app, VERSION, config.SANDBOX_URL);
  answerMalformedRequests(app.getHttpServer(), clock);
  await app.init();
  return app;
}

const strictHelmet = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
});

/** The same on every answer: helmet is asked once. */
const STRICT_HEADERS = new Map([['Cache-Control', 'no-store'], ...headersOf(strictHelmet)]);

function headersOf(middleware: typeof strictHelmet): Map<string, string> {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => undefined,
  };
  middleware({} as Request, response as unknown as Response, () => undefined);
  return headers;
}

function securityHeaders(request: Request, response: Response, next: NextFunction): void {
  if (isDocsPage(request)) return docsPageHeaders(request, response, next);
  delete request.headers['if-none-match']; // nothing has a tag: to "*" Express would answer 304
  response.setHeaders(STRICT_HEADERS);
  next();
}

/** NUL characters and broken percent signs never reach a handler or the database. */
function cleanUrl(request: Request, _response: Response, next: NextFunction): void {
  try {
    if (!decodeURIComponent(request.url).includes('\0')) return next();
  } catch {
    // falls through to the refusal
  }
  next(
    new DomainError('VALIDATION_ERROR', [{ field: 'url', message: 'has characters that are not allowed' }]),
  );
}
