import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** The text or the name of the statement COMMIT, and the command tags that answer it. PostgreSQL's protocol ends them with a zero byte. */
const COMMIT = /commit(_\d+)?\0/;
const ANSWERS_TO_COMMIT = ['COMMIT\0', 'ROLLBACK\0'];

/** A TCP proxy in front of a server, with which a test delays, stalls, closes and redirects connections. */
export class TcpProxy {
  /** Delay of each chunk in both directions. */
  delayMs = 0;
  /** Number of bytes, of all connections and both directions together, after which the proxy stalls. */
  stallAfterBytes = Infinity;
  /** Number of further COMMITs that reach the server, but whose answer is dropped and whose connection is closed. */
  commitAnswersToDrop = 0;
  private readonly sockets = new Set<Socket>();
  /** The sockets between the proxy and the server. */
  private readonly serverSockets = new WeakSet<Socket>();
  private server: Server | undefined;
  private port = 0;
  private passedBytes = 0;
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

  /** Connects new clients to another server; existing connections stay. */
  redirectTo(target: string): void {
    this.target = new URL(target);
  }

  async open(): Promise<void> {
    this.stalled = 'nothing';
    const server = createServer((client) => {
      const target = connect(Number(this.target.port), this.target.hostname);
      this.serverSockets.add(target);
      this.forward(client, target);
      this.forward(target, client);
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

  /**
   * From now on connections are accepted, but nothing is forwarded, not even their end, as if the server's machine had vanished.
   * With `answers` only the data from the server is withheld.
   */
  stall(what: 'answers' | 'everything' = 'everything'): void {
    this.stalled = what;
    for (const socket of this.sockets) if (this.isStalled(socket)) socket.unpipe().pause();
  }

  private forward(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      if (this.stalled !== 'everything') to.destroy();
    });
    if (!this.isStalled(from)) from.pipe(this.passing(from, to)).pipe(to);
  }

  private isStalled(socket: Socket): boolean {
    return this.stalled === 'everything' || (this.stalled === 'answers' && this.serverSockets.has(socket));
  }

  /** Passes the data on after the delay, and stalls the proxy or drops answers as the test has set it. */
  private passing(from: Socket, to: Socket): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, pass) => {
        if (
          this.commitAnswersToDrop > 0 &&
          !this.serverSockets.has(from) &&
          COMMIT.test(chunk.toString('latin1'))
        ) {
          this.commitAnswersToDrop -= 1;
          this.dropAnswersToCommit(to, from);
        }
        this.passedBytes += chunk.length;
        if (this.passedBytes > this.stallAfterBytes) this.stall();
        if (this.delayMs === 0) pass(null, chunk);
        else setTimeout(pass, this.delayMs, null, chunk);
      },
    });
  }

  /** Drops answers until the one to COMMIT, which the server sends after those to the statements before it. */
  private dropAnswersToCommit(server: Socket, client: Socket): void {
    let answers = Buffer.alloc(0);
    server.unpipe().on('data', (chunk: Buffer) => {
      answers = Buffer.concat([answers, chunk]);
      if (ANSWERS_TO_COMMIT.some((answer) => answers.includes(answer))) client.destroy();
    });
    server.resume();
  }
}
