// The full integrity check (all invariants), compared with one sequential scan of the entries.
import { openDatabase } from '../dist/database/data-source.js';
import { alternating, ratioRow, timed } from './frame.mjs';
import { invariantsOf } from './support/invariants.mjs';
import { connectScanner } from './support/scans.mjs';

const MAX_RATIO = 5;

export const title =
  'All invariants in one snapshot; the baseline is `select count(*)` over all entries without an index, by one process.';

export async function run(bench) {
  const url = await bench.copyOf(await bench.seeded(bench.large));
  const dataSource = await openDatabase({ type: 'postgres', url }, () => undefined, { migrate: false });
  const invariants = invariantsOf(dataSource);
  const scanner = await connectScanner(url);
  const verdicts = new Set();
  const figures = await alternating({
    scan: () => scanner.timeScan('ledger_entry'),
    check: () => timed(async () => verdicts.add((await invariants.checkInvariants()).verdict)),
  });
  const entries = await scanner.countRows('ledger_entry');
  await scanner.end();
  await dataSource.destroy();
  if ([...verdicts].join() !== 'holds')
    throw new Error(`the integrity check returned ${[...verdicts].join()}`);
  return {
    rows: [
      ratioRow(`full integrity check at ${entries.toLocaleString('en')} entries`, {
        figure: figures.check,
        baseline: figures.scan,
        baselineIs: 'one sequential scan',
        most: MAX_RATIO,
      }),
    ],
  };
}
