import pg from 'pg';

const BACKGROUND = /pg_notify|pg_try_advisory|listen |sla_minute \(/;

/** Every statement that this process sends to PostgreSQL while `work` runs, without those of timers. */
export async function queriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  const seen: string[] = [];
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [query] = args as [string | { text?: string }];
    const text = typeof query === 'string' ? query : (query.text ?? '');
    if (!BACKGROUND.test(text)) seen.push(text);
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return seen;
}
