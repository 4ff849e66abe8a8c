import pg from 'pg';

const BACKGROUND = /pg_notify|pg_try_advisory|listen |sla_minute \(/;

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Every statement that this process sends to PostgreSQL while `work` runs, without those of timers. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<Statement[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  const seen: Statement[] = [];
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [query, given] = args as [string | { text?: string; values?: unknown[] }, unknown];
    const text = typeof query === 'string' ? query : (query.text ?? '');
    const values = Array.isArray(given) ? given : typeof query === 'string' ? [] : (query.values ?? []);
    if (!BACKGROUND.test(text)) seen.push({ text, values });
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return seen;
}

export async function queriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsDuring(work)).map(({ text }) => text);
}

const TRIES = 3;

/** The fewest of a few tries: what it needs by itself. Sessions are looked up now and then, and timers tick. */
export async function fewestQueriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const tries: string[][] = [];
  for (let i = 0; i < TRIES; i++) tries.push(await queriesDuring(work));
  return tries.sort((a, b) => a.length - b.length)[0] as string[];
}
