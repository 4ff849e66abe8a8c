import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';
import { withStatementSpan } from '../observability/statement-spans.js';
import { SessionClient } from './session-settings.js';
import { StatementBatch } from './statement-batch.js';
import { WaitingCommits } from './waiting-commits.js';

/** SQLSTATE of a write that the server does not accept. */
const READ_ONLY = '25006';
/** SQLSTATE of a commit whose outcome is unknown. */
const OUTCOME_UNKNOWN = '08007';
/** The function of PostgreSQL that waits until a standby has a commit. It warns when the wait was cancelled. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';

export interface PooledClientConfig extends pg.ClientConfig {
  /** How long the server may send nothing while it owes an answer to one statement; without a limit if omitted. */
  silenceMs?: number;
}

/**
 * A connection of the pool. While the pool hands a connection to TypeORM, neither has a listener for its errors, and an error at
 * that moment would end the process. With the listener of this class the next query fails, and the pool drops the connection.
 */
export class PooledClient extends SessionClient {
  private readonly silenceMs: number;
  /** The size of the largest batch to which the server still owes an answer; 0 if all statements are answered. */
  private owedTogether = 0;
  private readonly socket: Socket;

  constructor(config: PooledClientConfig = {}) {
    super(config);
    this.silenceMs = config.silenceMs ?? 0;
    const { connection } = this as unknown as { connection: EventEmitter & { stream: Socket } };
    this.socket = connection.stream;
    connection.on('notice', ({ routine }: { routine?: string }) => {
      if (routine === WAIT_FOR_STANDBY) connection.emit('errorMessage', unconfirmed());
    });
    connection.on('errorMessage', (error: { code?: string }) => this.closeIfReadOnly(error));
    this.on('error', () => undefined);
    this.on('drain', () => this.awaitStatements(0)); // all statements are answered
    this.socket.on('timeout', () => this.closeSilent(config.connectionString));
  }

  override query(...args: never[]): never {
    const [statement] = args as readonly unknown[];
    this.awaitStatements(statement instanceof StatementBatch ? statement.size : 1);
    return super.query(...(args as unknown as [never]));
  }

  /** Each statement of a batch may take as long as a single one, and the server answers the batch at its end. */
  private awaitStatements(count: number): void {
    this.owedTogether = count === 0 ? 0 : Math.max(this.owedTogether, count);
    this.socket.setTimeout(this.owedTogether * this.silenceMs);
  }

  /**
   * `statement_timeout` is shorter than `silenceMs`, so a silent server means that the connection is lost, or that a commit waits for a
   * standby, to which `statement_timeout` does not apply.
   */
  private closeSilent(address: string | undefined): void {
    WaitingCommits.of(address).reportSilence();
    this.searchPrimary();
    this.socket.destroy(new Error('Connection terminated: the server is silent'));
  }

  /**
   * After a failover the server may have become a standby. The connection is closed before the statement fails and TypeORM releases
   * it, because the pool drops a closed connection only at its release. The next connection leads to the new primary.
   */
  private closeIfReadOnly({ code }: { code?: string }): void {
    if (code !== READ_ONLY) return;
    this.forgetPrimary();
    void this.end().catch(() => undefined);
  }
}

/** The error of a commit that may be lost with the server, although the server reports it as done. */
function unconfirmed(): Error {
  const message = 'Connection terminated: the wait of the commit for a standby was cancelled';
  return Object.assign(new Error(message), { code: OUTCOME_UNKNOWN });
}

/** A connection that sends each statement after the previous answer, by a queue of its own: that of `pg` is deprecated. */
export class SequentialClient extends PooledClient {
  private lastAnswer: Promise<unknown> = Promise.resolve();

  override query(...args: never[]): never {
    return withStatementSpan(args, (spanned) => this.enqueue(spanned as never[]));
  }

  private enqueue(args: readonly never[]): never {
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
