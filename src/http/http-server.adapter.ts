import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { createServer, IncomingMessage, ServerResponse, type RequestListener } from 'node:http';

/**
 * Nest's adapter for Express, with a server that creates its requests and responses with Express's prototypes. Otherwise
 * Express changes the prototype of each of them, and V8 keeps such objects until a full garbage collection (bench/findings.md).
 */
export class HttpServerAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const express = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    Object.setPrototypeOf(ExpressRequest.prototype, express.request);
    Object.setPrototypeOf(ExpressResponse.prototype, express.response);
    // Express sets these prototypes on every request and response, which changes nothing if they have them already.
    Object.assign(express, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
    const types = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    const listener: RequestListener = (request, response) => {
      request.url = pathOf(request.url);
      express(request, response);
    };
    this.httpServer = createServer(types, listener);
  }
}

const MALFORMED_PATH = '/%'; // `rejectMalformedUrl` rejects it

/**
 * The path and query of a request target, which can also be a whole URL. Express passes a URL that it cannot parse to no
 * middleware.
 */
function pathOf(target = '/'): string {
  if (target.startsWith('/') || target === '*') return target;
  if (!URL.canParse(target)) return MALFORMED_PATH;
  const { pathname, search } = new URL(target);
  return pathname + search;
}
