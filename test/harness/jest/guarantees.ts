import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Records that a guarantee of docs/guarantees.md held, with the figure of this run: `recordGuarantee('G-01', '212 faults')`.
 * global-teardown.mjs prints the records. Without the global set-up, as in `npm run test:unit`, nothing is recorded.
 */
export function recordGuarantee(id: `G-${number}`, figure: string): void {
  const file = process.env.GUARANTEE_RESULTS;
  if (file === undefined) return;
  const test = relative(process.cwd(), expect.getState().testPath as string);
  appendFileSync(file, `| ${id} | \`${test}\` | ${figure} |\n`);
}
