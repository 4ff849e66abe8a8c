import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

const COMMIT = 'commit\0'; // end of the protocol message
const ANSWERS_TO_COMMIT = ['COMMIT\0', 'ROLLBACK\0'];

/** A TCP proxy before a server with which a test delays, stalls, closes and redirects connections. */
export class TcpProxy {
  /** Delay of each chunk in both directions. */
  delayMs = 0;
  /** Number of bytes in both directions after which the proxy stalls. */
  stallAfterBytes = Infinity;
  /** Number of further COMMITs that reach the server, but whose answer is dropped and whose connection is closed. */
  commitAnswersToDrop = 0;
  private readonly sockets = new Set<Socket>();
  private readonly answering = new WeakSet<Socket>();
  private server: Server | undefined;
  private port = 0;
  private passed = 0;
  private stalled: 'nothing' | 'answers' | 'everything' = 'nothing';

  private constructor(private target: URL) {}

  static async startFor(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(target));
    await proxy.open();
    return proxy;
  }

  /** The target's URL with the address of the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
  }

  /** Connects later connections with another server. */
  redirectTo(target: string): void {
    this.target = new URL(target);
  }

  async open(): Promise<void> {
    this.stalled = 'nothing';
    const server = createServer((near) => {
      const far = connect(Number(this.target.port), this.target.hostname);
      this.answering.add(far);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
        if (!this.isStalled(one)) one.pipe(this.holdingUp(one, other)).pipe(other);
      }
    });
    await once(server.listen(this.port, '127.0.0.1'), 'listening'); // throws if the port is taken
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Closes all connections and refuses new ones. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) =>
      this.server ? this.server.close(() => resolve()) : resolve(),
    );
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Accepts connections but forwards nothing, or with `answers` only the data from the client. */
  stall(what: 'answers' | 'everything' = 'everything'): void {
    this.stalled = what;
    for (const socket of this.sockets) if (this.isStalled(socket)) socket.unpipe().pause();
  }

  private isStalled(socket: Socket): boolean {
    return this.stalled === 'everything' || (this.stalled === 'answers' && this.answering.has(socket));
  }

  private holdingUp(from: Socket, to: Socket): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, pass) => {
        if (this.commitAnswersToDrop > 0 && !this.answering.has(from) && chunk.includes(COMMIT)) {
          this.commitAnswersToDrop -= 1;
          this.dropAnswersToCommit(to, from);
        }
        this.passed += chunk.length;
        if (this.passed > this.stallAfterBytes) this.stall();
        if (this.delayMs === 0) pass(null, chunk);
        else setTimeout(pass, this.delayMs, null, chunk);
      },
    });
  }

  /** The rows that are sent together with COMMIT are answered before it. */
  private dropAnswersToCommit(server: Socket, client: Socket): void {
    let answers = Buffer.alloc(0);
    server.unpipe().on('data', (chunk: Buffer) => {
      answers = Buffer.concat([answers, chunk]);
      if (ANSWERS_TO_COMMIT.some((answer) => answers.includes(answer))) client.destroy();
    });
    server.resume();
  }
}
