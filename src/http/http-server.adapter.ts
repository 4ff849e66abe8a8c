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
 * The path and query of a request target, which can also be a whole URL. Express calls no middleware for a target that it
 * cannot parse.
 */
function pathOf(target = '/'): string {
  if (target === '*') return target;
  if (target.startsWith('/')) return target.includes('#') ? target.slice(0, target.indexOf('#')) : target;
  const { pathname, search } = URL.canParse(target) ? new URL(target) : { pathname: '', search: '' };
  return pathname.startsWith('/') ? pathname + search : MALFORMED_PATH;
}
