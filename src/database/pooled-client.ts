import type { Socket } from 'node:net';
import pg from 'pg';

export interface PooledClientConfig extends pg.ClientConfig {
  /** How long the server may send nothing while it owes an answer; without a limit if omitted. */
  silenceMs?: number;
}

/**
 * A connection of the pool. Between the pool and TypeORM a connection has no listener for errors for a moment; an error that the
 * server sends just then would end the process. The next query fails, and the pool drops the connection.
 */
export class PooledClient extends pg.Client {
  private readonly silenceMs: number;
  private readonly socket: Socket;

  constructor(config: PooledClientConfig = {}) {
    super(config);
    this.silenceMs = config.silenceMs ?? 0;
    this.socket = (this as unknown as { connection: { stream: Socket } }).connection.stream;
    this.on('error', () => undefined);
    this.on('drain', () => this.socket.setTimeout(0)); // all statements are answered
    // The server ends every statement earlier, so a longer silence means that the connection is lost.
    this.socket.on('timeout', () =>
      this.socket.destroy(new Error('Connection terminated: the server is silent')),
    );
  }

  override query(...args: never[]): never {
    this.socket.setTimeout(this.silenceMs);
    return super.query(...(args as unknown as [never]));
  }
}

/** A connection that sends each statement after the answer to the previous one. It queues them itself, since `pg` deprecates its queue. */
export class SequentialClient extends PooledClient {
  private lastAnswer: Promise<unknown> = Promise.resolve();

  override query(...args: never[]): never {
    const send = (): unknown => super.query(...(args as unknown as [never]));
    if (typeof args.at(-1) === 'function') return send() as never; // statements with a callback are sent one by one already
    const answer = this.lastAnswer.then(send);
    this.lastAnswer = answer.catch(() => undefined);
    return answer as never;
  }
}
