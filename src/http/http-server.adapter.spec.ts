import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { HttpServerAdapter } from './http-server.adapter.js';

describe('The HTTP server', () => {
  it("creates requests and responses with the prototypes that Express sets, so that Express's assignment changes nothing", async () => {
    const adapter = new HttpServerAdapter();
    adapter.initHttpServer();
    const server = adapter.getHttpServer() as Server;
    const express = adapter.getInstance<Express>();
    const prototypes: unknown[] = [];
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    });
    express.get('/', (request, response) => {
      prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
      response.send('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      expect(await response.text()).toBe('ok');
      const { request: requestPrototype, response: responsePrototype } = express;
      expect(prototypes).toHaveLength(4);
      expect(prototypes[0] === requestPrototype && prototypes[2] === requestPrototype).toBe(true);
      expect(prototypes[1] === responsePrototype && prototypes[3] === responsePrototype).toBe(true);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
