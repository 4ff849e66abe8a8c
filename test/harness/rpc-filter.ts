import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopServer } from './stop-server.js';

type Direction = 'request' | 'response';

/** A proxy in front of the EVM node that drops either the requests or the responses of one RPC method. */
export class RpcFilter {
  /** Number of dropped HTTP requests and responses; a batch counts once. */
  droppedCalls = 0;
  private dropRule: { direction: Direction; method: string } | undefined;

  private constructor(private readonly server: Server) {}

  static async startFor(nodeUrl: string): Promise<RpcFilter> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      const dropCall = () => {
        request.socket.destroy();
        filter.droppedCalls += 1;
      };
      const pass = async (body: string): Promise<void> => {
        const dropped = filter.droppedDirectionOf(body);
        if (dropped === 'request') return dropCall();
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(nodeUrl, { method: 'POST', headers, body });
        const text = await answer.text();
        if (dropped === 'response') return dropCall();
        response.writeHead(answer.status, headers).end(text);
      };
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      // If the node is not reachable, the caller's connection is closed as well.
      request.on(
        'end',
        () => void pass(Buffer.concat(chunks).toString()).catch(() => request.socket.destroy()),
      );
    });
    const filter = new RpcFilter(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return filter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on drops the requests or the responses of calls of this method. */
  drop(direction: Direction, method: string): void {
    this.dropRule = { direction, method };
  }

  passAllCalls(): void {
    this.dropRule = undefined;
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }

  /** What the rule drops of this HTTP request, if anything. One matching call drops the whole batch. */
  private droppedDirectionOf(body: string): Direction | undefined {
    const calls = [JSON.parse(body) as { method?: string } | { method?: string }[]].flat();
    return calls.some(({ method }) => method === this.dropRule?.method)
      ? this.dropRule?.direction
      : undefined;
  }
}
