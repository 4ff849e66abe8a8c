import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';

/** SQLSTATE of a write that the server does not accept. */
const READ_ONLY = '25006';

export interface PooledClientConfig extends pg.ClientConfig {
  /** How long the server may send nothing while it owes an answer; without a limit if omitted. */
  silenceMs?: number;
}

/**
 * A connection of the pool. While the pool hands it to TypeORM, neither of them listens to its errors, and an error at that
 * moment would end the process. With the listener of this class the next query fails, and the pool drops the connection.
 */
export class PooledClient extends pg.Client {
  private readonly silenceMs: number;
  private readonly socket: Socket;

  constructor(config: PooledClientConfig = {}) {
    super(config);
    this.silenceMs = config.silenceMs ?? 0;
    const { connection } = this as unknown as { connection: EventEmitter & { stream: Socket } };
    this.socket = connection.stream;
    connection.on('errorMessage', (error: { code?: string }) => this.closeIfReadOnly(error));
    this.on('error', () => undefined);
    this.on('drain', () => this.socket.setTimeout(0)); // all statements are answered
    // `statement_timeout` is shorter than `silenceMs`, so a silent server means that the connection is lost.
    this.socket.on('timeout', () =>
      this.socket.destroy(new Error('Connection terminated: the server is silent')),
    );
  }

  override query(...args: never[]): never {
    this.socket.setTimeout(this.silenceMs);
    return super.query(...(args as unknown as [never]));
  }

  /**
   * After a failover the server may have become a standby. The connection is closed before the statement fails and TypeORM releases
   * it, because the pool drops a closed connection only at its release. The next one leads to the new primary.
   */
  private closeIfReadOnly({ code }: { code?: string }): void {
    if (code === READ_ONLY) void this.end().catch(() => undefined);
  }
}

/** A connection that sends each statement after the previous answer, by a queue of its own: that of `pg` is deprecated. */
export class SequentialClient extends PooledClient {
  private lastAnswer: Promise<unknown> = Promise.resolve();

  override query(...args: never[]): never {
    const callback = args.at(-1) as ((error: unknown, answer?: unknown) => void) | undefined;
    if (typeof callback !== 'function') return this.send(args) as never;
    void this.send(args.slice(0, -1)).then(
      (answer) => callback(undefined, answer),
      (error: unknown) => callback(error),
    );
    return undefined as never;
  }

  private send(args: readonly never[]): Promise<unknown> {
    const answer = this.lastAnswer.then(
      () => super.query(...(args as unknown as [never])) as Promise<unknown>,
    );
    this.lastAnswer = answer.catch(() => undefined);
    return answer;
  }
}
