import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import {
  createServer,
  IncomingMessage,
  ServerResponse,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { parsedUrl } from '../common/parsed-url.js';

/**
 * Nest's adapter for Express, with a server that creates its requests and responses with Express's prototypes. Otherwise
 * Express changes the prototype of each of them, and V8 keeps such objects until a full garbage collection (bench/findings.md).
 */
export class HttpServerAdapter extends ExpressAdapter {
  private types: ServerOptions = {};

  override initHttpServer(): void {
    const express = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    Object.setPrototypeOf(ExpressRequest.prototype, express.request);
    Object.setPrototypeOf(ExpressResponse.prototype, express.response);
    // Express sets these prototypes on every request and response, which changes nothing if they have them already.
    Object.assign(express, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
    this.types = {
      IncomingMessage: ExpressRequest,
      ServerResponse: ExpressResponse as typeof ServerResponse,
    };
    this.httpServer = this.createHttpServer(() => true);
  }

  /** A server that serves the paths that `isServed` selects and answers 404 to all other paths. */
  createHttpServer(isServed: (path: string) => boolean): Server {
    const express = this.getInstance<Express>();
    const listener: RequestListener = (request, response) => {
      const path = pathOf(request.url);
      request.url = isServed(path) ? path : UNSERVED_PATH;
      express(request, response);
    };
    return createServer(this.types, listener);
  }
}

const UNSERVED_PATH = '/not-served'; // no route has this path
const MALFORMED_PATH = '/%'; // `rejectMalformedTarget` rejects it

/**
 * The path and query of a request target, which can also be a whole URL, without a fragment. Express calls no middleware for a target
 * that it cannot parse, so such a target becomes `MALFORMED_PATH`.
 */
function pathOf(target = '/'): string {
  if (target === '*') return target;
  if (target.startsWith('/')) return target.includes('#') ? target.slice(0, target.indexOf('#')) : target;
  const { pathname, search } = parsedUrl(target) ?? { pathname: '', search: '' };
  return pathname.startsWith('/') ? pathname + search : MALFORMED_PATH;
}
