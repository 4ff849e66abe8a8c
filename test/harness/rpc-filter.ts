import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopServer } from './stop-server.js';

type LostPart = 'question' | 'answer';

/** A proxy before the EVM node that drops either the requests or the responses of one RPC method. */
export class RpcFilter {
  lostCalls = 0;
  private lost: { method: string; what: LostPart } | undefined;

  private constructor(private readonly server: Server) {}

  static async startFor(nodeUrl: string): Promise<RpcFilter> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      // If the node is not reachable, the caller's connection breaks, too.
      request.on(
        'end',
        () => void pass(Buffer.concat(chunks).toString()).catch(() => request.socket.destroy()),
      );
      const pass = async (body: string): Promise<void> => {
        const lost = filter.lost && body.includes(`"${filter.lost.method}"`) ? filter.lost.what : undefined;
        if (lost) filter.lostCalls += 1;
        if (lost === 'question') return void request.socket.destroy();
        const headers = { 'content-type': 'application/json' };
        const answer = await (await fetch(nodeUrl, { method: 'POST', headers, body })).text();
        if (lost === 'answer') return void request.socket.destroy();
        response.writeHead(200, headers).end(answer);
      };
    });
    const filter = new RpcFilter(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return filter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  loseCalls(what: LostPart, method: string): void {
    this.lost = { method, what };
  }

  passAllCalls(): void {
    this.lost = undefined;
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }
}
