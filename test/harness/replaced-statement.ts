import pg from 'pg';

/** Sends `replacement` instead of each statement that matches `pattern` while `work` runs, for example to make it fail. */
export async function replacingStatements<Result>(
  pattern: RegExp,
  replacement: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  prototype.query = function (this: unknown, text: unknown, ...rest: unknown[]) {
    return original.call(this, pattern.test(String(text)) ? replacement : text, ...rest);
  };
  try {
    return await work();
  } finally {
    prototype.query = original;
  }
}
