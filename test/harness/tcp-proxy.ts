import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

const COMMIT = 'commit\0'; // as a message of the protocol ends

/** A door between the service and its database that a test can shut. */
export class TcpProxy {
  /** Milliseconds that each piece of an answer, and of a question, is held up. */
  delayMs = 0;
  /** Bytes, of either side, after which it lets nothing through any more. */
  stallAfterBytes = Infinity;
  /** So many times more, whoever commits hears nothing of it and loses the connection; the server has heard. */
  commitAnswersToDrop = 0;
  private readonly sockets = new Set<Socket>();
  private readonly answering = new WeakSet<Socket>();
  private server: Server | undefined;
  private port = 0;
  private passed = 0;
  private stalled: 'nothing' | 'answers' | 'everything' = 'nothing';

  private constructor(private readonly target: URL) {}

  static async startFor(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(target));
    await proxy.open();
    return proxy;
  }

  /** The target's address by way of this door. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
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

  /** Cuts every connection and lets no new one in. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) =>
      this.server ? this.server.close(() => resolve()) : resolve(),
    );
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Takes every connection, and lets nothing through any more; or questions alone, whose answers nobody hears. */
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
          to.unpipe()
            .once('data', () => from.destroy())
            .resume(); // its answer, which is kept to ourselves
        }
        this.passed += chunk.length;
        if (this.passed > this.stallAfterBytes) this.stall();
        if (this.delayMs === 0) pass(null, chunk);
        else setTimeout(pass, this.delayMs, null, chunk);
      },
    });
  }
}
