import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopServer } from './stop-server.js';

/** An HTTP server that answers every request with 500, and with its URL, headers and body as JSON. */
export class EchoServer {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<EchoServer> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        response.statusCode = 500;
        response.end(JSON.stringify({ url: request.url, headers: request.headers, body }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new EchoServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }
}
