import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Kept {
  promise: string;
  test: string;
  figure: string;
}

/**
 * Tells that a promise of the README held, and in how many tries: `kept('Nothing answered is lost', '212 faults')`.
 * promises-reporter.mjs prints them all at the end of a run, as the README's table has them.
 */
export function kept(promise: string, figure: string): void {
  const test = relative(process.cwd(), expect.getState().testPath as string);
  const line: Kept = { promise, test, figure };
  appendFileSync(join(process.env.KEPT_PROMISES as string, String(process.pid)), `${JSON.stringify(line)}\n`);
}
