import { patchingQueries } from './patched-queries.js';

/** Sends `replacement` instead of each statement that matches `pattern` while `work` runs, for example to make it fail. */
export function replacingStatements<Result>(
  pattern: RegExp,
  replacement: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return patchingQueries(
    (_client, [text, ...rest], send) => send(pattern.test(String(text)) ? replacement : text, ...rest),
    work,
  );
}
