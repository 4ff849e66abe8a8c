import type { Writable } from 'node:stream';
import { PooledClient, type PooledClientConfig } from './pooled-client.js';

/** So many statements with the comment `PREPARED` get a name: TypeORM writes offsets and limits into the text. */
const MAX_OF_TYPEORM = 200;
let countOfTypeOrm = 0;

const nameOfStatement = new Map<string, string>();

/**
 * Marks a statement to be parsed once per connection instead of at every execution. After five executions PostgreSQL may also
 * keep one generic plan, so only statements that read few rows for any parameters are marked.
 */
export function prepared(sql: string): string {
  if (!nameOfStatement.has(sql)) nameOfStatement.set(sql, `prepared_${nameOfStatement.size + 1}`);
  return sql;
}

/** As `prepared`, for the statements that TypeORM writes: the value of the option `comment` of `find`. */
export const PREPARED = 'prepared';

function nameOf(sql: string): string | undefined {
  const name = nameOfStatement.get(sql);
  const isNew =
    name === undefined && sql.startsWith(`/* ${PREPARED} */`) && countOfTypeOrm++ < MAX_OF_TYPEORM;
  return isNew ? nameOf(prepared(sql)) : name;
}

/**
 * A connection that sends the statements marked by `prepared` as named prepared statements, and all statements of one tick of
 * the event loop with one write. Not used behind a pooler, which may execute the next transaction in another session.
 */
export class PreparingClient extends PooledClient {
  constructor(config?: PooledClientConfig) {
    super(config);
    this.once('connect', () =>
      collectWrites((this as unknown as { connection: { stream: Writable } }).connection.stream),
    );
  }

  override query(...args: never[]): never {
    const [text, values, ...rest] = args as unknown[];
    const name = typeof text === 'string' ? nameOf(text) : undefined;
    return super.query(...((name === undefined ? args : [{ name, text, values }, ...rest]) as [never]));
  }
}

/** The options of the pool for such connections. */
export const PREPARING = { Client: PreparingClient, pipeline: true } as const;

/**
 * Collects what is written to a stream during a tick in one buffer. `cork` would pass each of the protocol's messages, five for a
 * statement, to the operating system by itself.
 */
function collectWrites(stream: Writable): void {
  const write = stream.write.bind(stream) as (chunk: Buffer, callback?: () => void) => boolean;
  let messages: Buffer[] = [];
  let onWritten: (() => void) | undefined; // of the message that ends the connection
  const flush = () => {
    if (stream.writable) write(messages.length === 1 ? messages[0]! : Buffer.concat(messages), onWritten);
    messages = [];
  };
  stream.write = (message: Buffer, callback?: unknown) => {
    onWritten ??= callback as typeof onWritten;
    if (messages.push(message) === 1) process.nextTick(flush);
    return true;
  };
}
