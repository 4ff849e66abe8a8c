import pg from 'pg';

const names = new Map<string, string>();

/**
 * A statement that requests send again and again, to be parsed and planned once by each connection instead of every
 * time. For statements that read few rows whatever their parameters are: they get one plan for all of them.
 */
export function prepared(sql: string): string {
  if (!names.has(sql)) names.set(sql, `prepared_${names.size + 1}`);
  return sql;
}

/** A connection that sends such statements by their names. Not behind a pooler: it may hand us another session. */
export class PreparingClient extends pg.Client {
  override query(...given: never[]): never {
    const [text, values, ...rest] = given as unknown[];
    const name = typeof text === 'string' ? names.get(text) : undefined;
    const asked = name === undefined ? given : [{ name, text, values }, ...rest];
    return super.query(...(asked as [never]));
  }
}
