import { Socket } from 'node:net';
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

/** Passes the messages that were written between `cork` and `uncork` to the operating system in one piece instead of one by one. */
class JoiningSocket extends Socket {
  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer' as BufferEncoding, callback);
  }
}

/**
 * A connection that sends the statements marked by `prepared` as named prepared statements, and all statements of one tick of
 * the event loop with one write. Not used behind a pooler, which may execute the next transaction in another session.
 */
export class PreparingClient extends PooledClient {
  private isCorked = false;

  constructor(config?: PooledClientConfig) {
    super({ ...config, stream: () => new JoiningSocket() });
  }

  override query(...args: never[]): never {
    this.corkUntilNextTick();
    const [text, values, ...rest] = args as unknown[];
    const name = typeof text === 'string' ? nameOf(text) : undefined;
    return super.query(...((name === undefined ? args : [{ name, text, values }, ...rest]) as [never]));
  }

  private corkUntilNextTick(): void {
    if (this.isCorked) return;
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    this.isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.isCorked = false;
      stream.uncork();
    });
  }
}

/** The options of the pool for such connections. */
export const PREPARING = { Client: PreparingClient, pipeline: true } as const;
