import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface GuaranteeResult {
  /** Id in docs/guarantees.md. */
  id: `G-${number}`;
  /** Path of the spec file from the root of the repository. */
  test: string;
  figure: string;
}

/**
 * Records that a guarantee of docs/guarantees.md held, with the figure of this run: `recordGuarantee('G-01', '212 faults')`.
 * guarantees-reporter.mjs prints the records. Without the global set-up, as in `npm run test:unit`, nothing is recorded.
 */
export function recordGuarantee(id: GuaranteeResult['id'], figure: string): void {
  const folder = process.env.GUARANTEE_RESULTS;
  if (folder === undefined) return;
  const test = relative(process.cwd(), expect.getState().testPath as string);
  const result: GuaranteeResult = { id, test, figure };
  appendFileSync(join(folder, String(process.pid)), `${JSON.stringify(result)}\n`);
}
