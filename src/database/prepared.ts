import { Socket } from 'node:net';
import pg from 'pg';
import { withStatementSpan } from '../observability/statement-spans.js';
import { PooledClient, type PooledClientConfig } from './pooled-client.js';
import {
  StatementBatch,
  type BatchedStatement,
  type OnResult,
  type ParsedStatements,
} from './statement-batch.js';

/** Converts a value to a text, bytes or null, as the driver does when it sends a statement. */
export const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } })
  .utils;

/**
 * At most so many composed statements get a name, because there are many of them: they differ by filters and orders, and those of
 * TypeORM also by offsets and limits.
 */
const MAX_COMPOSED = 200;
let countOfComposed = 0;

const nameOfStatement = new Map<string, string>();

/**
 * Marks a statement to be parsed once per connection instead of at every execution. After five executions PostgreSQL may also
 * keep one generic plan, so only statements that read few rows for any parameters are marked.
 */
export function prepared(sql: string): string {
  if (nameOfStatement.has(sql)) return sql;
  const [firstWord] = /[a-z]+/i.exec(sql) ?? [];
  nameOfStatement.set(sql, `${firstWord}_${nameOfStatement.size + 1}`);
  return sql;
}

/** As `prepared`, for the statements that TypeORM writes: the value of the option `comment` of `find`. */
export const PREPARED = 'prepared';

/** As `prepared`, for a statement that is composed by the request; at most `MAX_COMPOSED` of them, and of TypeORM's, are marked. */
export const preparedIfFew = (sql: string): string => `/* ${PREPARED} */ ${sql}`;

function nameOf(sql: string): string | undefined {
  const name = nameOfStatement.get(sql);
  const isComposed = sql.startsWith(`/* ${PREPARED} */`);
  if (name !== undefined || !isComposed || countOfComposed >= MAX_COMPOSED) return name;
  countOfComposed++;
  return nameOfStatement.get(prepared(sql));
}

/** Passes the messages that were written between `cork` and `uncork` to the operating system in one piece instead of one by one. */
class JoiningSocket extends Socket {
  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer' as BufferEncoding, callback);
  }
}

/**
 * A connection that sends the statements marked by `prepared` as named prepared statements, and the statements of one tick of the
 * event loop as one batch with one write. Not used behind a pooler, which may execute the next transaction in another session.
 */
export class PreparingClient extends PooledClient {
  private batch: BatchedStatement[] = [];
  private readonly parsed: ParsedStatements = new Map();
  private isCorked = false;

  constructor(config?: PooledClientConfig) {
    super({ ...config, stream: () => new JoiningSocket() });
  }

  override query(...args: never[]): never {
    return withStatementSpan(args, (spanned) => this.enqueue(spanned));
  }

  private enqueue(args: readonly unknown[]): never {
    const [text, values] = args;
    const hasValues = Array.isArray(values) && values.length > 0;
    const name = typeof text === 'string' ? nameOf(text) : undefined;
    this.sendAtEndOfTick();
    if (typeof text !== 'string' || (name === undefined && !hasValues)) {
      this.sendBatch(); // before this statement, which may be several in one text
      return super.query(...(args as never[]));
    }
    const statement = { name, text, values: hasValues ? values.map(prepareValue) : [] };
    const callback = args.at(-1);
    if (typeof callback === 'function')
      return void this.batch.push({ ...statement, onResult: callback as OnResult }) as never;
    return new Promise<pg.QueryResult>((resolve, reject) => {
      const onResult: OnResult = (error, result) => (error ? reject(error) : resolve(result));
      this.batch.push({ ...statement, onResult });
    }) as never;
  }

  private sendBatch(): void {
    if (this.batch.length > 0)
      super.query(new StatementBatch(this.batch.splice(0), this.parsed, this) as never);
  }

  private sendAtEndOfTick(): void {
    if (this.isCorked) return;
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    this.isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.sendBatch();
      this.isCorked = false;
      stream.uncork();
    });
  }
}

/** The options of the pool for such connections. */
export const PREPARING = { Client: PreparingClient, pipeline: true } as const;
