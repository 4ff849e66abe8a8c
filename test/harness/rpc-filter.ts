import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopServer } from './stop-server.js';

type Direction = 'request' | 'response';

/** What the node lacks: methods, answered with -32601, fields of the results of methods, and batches. */
interface Lacks {
  readonly methods?: readonly string[];
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly batches?: boolean;
}

interface RpcMessage {
  readonly id: number;
  readonly method: string;
}

const METHOD_NOT_FOUND = { code: -32601, message: 'the method does not exist or is not available' };
const INVALID_REQUEST = { code: -32600, message: 'batches are not supported' };

/** A proxy in front of the EVM node that drops calls of one RPC method, or lacks what some nodes lack. */
export class RpcFilter {
  /** Number of dropped HTTP requests and responses; a batch counts once. */
  droppedCalls = 0;
  refusedBatches = 0;
  /** What the node lacks from now on. */
  lacks: Lacks = {};
  /** The Authorization header without which the node answers 401. */
  requiredAuthorization: string | undefined;
  private dropRule: { direction: Direction; method: string } | undefined;

  private constructor(
    private readonly server: Server,
    private nodeUrl: string,
  ) {}

  /** Calls reach no node before `forwardTo` if `nodeUrl` is empty. */
  static async startFor(nodeUrl = ''): Promise<RpcFilter> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      const dropCall = () => {
        request.socket.destroy();
        filter.droppedCalls += 1;
      };
      const pass = async (body: string): Promise<void> => {
        const isRefused =
          filter.requiredAuthorization !== undefined &&
          request.headers.authorization !== filter.requiredAuthorization;
        if (isRefused) return void response.writeHead(401).end();
        const dropped = filter.droppedDirectionOf(body);
        if (dropped === 'request') return dropCall();
        const answer = await filter.answerOf(JSON.parse(body) as RpcMessage | RpcMessage[]);
        if (dropped === 'response') return dropCall();
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      };
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      // If the node is not reachable, the caller's connection is closed as well.
      request.on(
        'end',
        () => void pass(Buffer.concat(chunks).toString()).catch(() => request.socket.destroy()),
      );
    });
    const filter = new RpcFilter(server, nodeUrl);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return filter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  forwardTo(nodeUrl: string): void {
    this.nodeUrl = nodeUrl;
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

  private async answerOf(message: RpcMessage | RpcMessage[]): Promise<unknown> {
    if (!Array.isArray(message)) return this.answerCall(message);
    if (this.lacks.batches) {
      this.refusedBatches += 1;
      return { jsonrpc: '2.0', id: null, error: INVALID_REQUEST };
    }
    return Promise.all(message.map((call) => this.answerCall(call)));
  }

  private async answerCall(call: RpcMessage): Promise<unknown> {
    const { methods = [], fields = {} } = this.lacks;
    if (methods.includes(call.method)) return { jsonrpc: '2.0', id: call.id, error: METHOD_NOT_FOUND };
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(this.nodeUrl, { method: 'POST', headers, body: JSON.stringify(call) });
    const answer = (await reply.json()) as { result?: Record<string, unknown> | null };
    for (const field of fields[call.method] ?? []) delete answer.result?.[field];
    return answer;
  }
}
