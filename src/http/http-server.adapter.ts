import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';

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
    this.httpServer = createServer(types, express);
  }
}
