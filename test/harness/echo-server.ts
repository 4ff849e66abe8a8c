import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopServer } from './stop-server.js';

/** An HTTP server that answers every request with 500, and with its URL, headers and body as JSON. */
export class EchoServer {
  /** The headers of all requests with the first segment of their paths, oldest first. */
  readonly received: { party: string; headers: IncomingHttpHeaders }[] = [];

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
        const [, segment = ''] = (request.url ?? '').split(/[/?]/);
        echoServer.received.push({ party: segment, headers: request.headers });
        response.statusCode = 500;
        response.end(JSON.stringify({ url: request.url, headers: request.headers, body }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const echoServer = new EchoServer(server, `http://127.0.0.1:${port}`);
    return echoServer;
  }

  /** The headers of the last request to the party. */
  headersTo(party: string): IncomingHttpHeaders | undefined {
    return this.received.findLast((request) => request.party === party)?.headers;
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }
}
