import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Server } from 'node:http';
import { AppModule } from './app.module.js';
import { secretsOf, type AppConfig } from './config/app-config.js';
import { CONSOLE_FOLDER } from './config/console-folder.js';
import { VERSION } from './config/version.js';
import { consolePages } from './http/console/console-pages.js';
import { HttpServerAdapter } from './http/http-server.adapter.js';
import { bufferBody } from './http/request/body-reader.js';
import { hasOneHost, routerPath } from './http/request/request-target.js';
import { inSequence } from './http/request/middleware-sequence.js';
import { CorsPolicy } from './http/response/cors.js';
import { answerMalformedRequests } from './http/response/malformed-request.js';
import { GracefulShutdown } from './http/resilience/graceful-shutdown.js';
import { JsonLogger } from './observability/logging/json-logger.js';
import { LoadShedder } from './http/resilience/load-shedder.js';
import { trackOpenResponses } from './http/resilience/open-responses.js';
import { ConnectionLimits } from './http/resilience/connection-limits.js';
import { DOCUMENT_PATH } from './http/openapi/document-route.js';
import { docsPageHeaders, isDocsPage, serveDocs } from './http/openapi/docs-page.js';
import { logRequest, ServedRequests } from './http/response/served-requests.js';
import { tracing } from './observability/tracing/trace.js';
import type { Clock } from './common/clock.js';
import { DomainError } from './common/errors/domain-error.js';
import { LiveAdapter } from './modules/messaging/live/live.adapter.js';
import { identityProviderAlias } from './modules/identity/auth/auth.strategy.js';

/** Creates the application. Production and tests use the same one. */
export async function createApp(config: AppConfig, clock: Clock): Promise<NestExpressApplication> {
  const module = AppModule.with(config, clock);
  const app = await NestFactory.create<NestExpressApplication>(module, new HttpServerAdapter(), {
    logger: new JsonLogger(config.LOG_LEVEL, secretsOf(config)),
    bodyParser: false, // `bufferBody` receives bodies (DEC-05)
    abortOnError: false, // the caller reports the error
  });
  app.disable('x-powered-by');
  app.disable('etag'); // responses must not be cached, except those that set an ETag themselves
  app.set('query parser', 'simple'); // a=1&a=2 is a list, a[b]=1 is not an object
  app.set('trust proxy', config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false);
  const servedRequests = app.get(ServedRequests);
  servedRequests.subscribe(logRequest);
  const isProxy = app.getHttpAdapter().getInstance().get('trust proxy fn') as (address: string) => boolean;
  app.get(ConnectionLimits).applyTo(app.getHttpServer() as Server, isProxy);
  trackOpenResponses(app.getHttpServer());
  const loadShedder = app.get(LoadShedder);
  const cors = new CorsPolicy(config.CORS_ORIGINS);
  // Static pages come first: nothing of what serves the API concerns them.
  const pages =
    config.CONSOLE === 'on'
      ? [consolePages(CONSOLE_FOLDER, { sandbox: config.SANDBOX_URL !== undefined })]
      : [];
  // Every refused request is traced and counted, and its response has the security headers. An overloaded service refuses
  // requests before it reads their bodies. A request acquires a slot of the concurrency limit after its body has arrived, so
  // that a slow client holds no slot.
  app.use(
    inSequence(
      ...pages,
      tracing,
      servedRequests.middleware,
      app.get(GracefulShutdown).middleware,
      securityHeaders,
      cors.middleware,
      loadShedder.rejectIfFull,
      rejectMalformedTarget,
      bufferBody,
      loadShedder.acquireSlot,
      identityProviderAlias(config.IDP_NAME),
    ),
  );
  serveDocs(app, VERSION, config.SANDBOX_URL);
  answerMalformedRequests(app.getHttpServer(), clock, cors);
  app.useWebSocketAdapter(app.get(LiveAdapter));
  await app.init();
  return app;
}

const strictHelmet = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
});

/** All responses but those of the documentation page have the same security headers, so helmet computes them once. */
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
  // No other response has an ETag, but Express would answer "*" with 304.
  if (routerPath(request.path) !== DOCUMENT_PATH) delete request.headers['if-none-match'];
  response.setHeaders(STRICT_HEADERS);
  next();
}

/** Rejects several Host headers, and NUL characters and malformed percent encoding in the URL. */
function rejectMalformedTarget(request: Request, response: Response, next: NextFunction): void {
  if (!hasOneHost(request)) {
    response.setHeader('Connection', 'close'); // a proxy may have read the request differently
    return next(new DomainError('VALIDATION_ERROR', [{ field: 'request', message: 'must have one Host' }]));
  }
  try {
    if (!decodeURIComponent(request.url).includes('\0')) return next();
  } catch {
    // malformed: rejected below
  }
  next(
    new DomainError('VALIDATION_ERROR', [{ field: 'url', message: 'has characters that are not allowed' }]),
  );
}
