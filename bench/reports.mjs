// The admin dashboard and reports on a large platform, compared with one sequential scan of the transactions.
import { alternating, markdownTable, ratioRow, timed } from './frame.mjs';
import { reportPaths } from './support/report-paths.mjs';
import { connectScanner } from './support/scans.mjs';

const MAX_RATIO = 0.2;
const ROUNDS = 11; // many, since the slowest of twenty calls counts and must not be an outlier
const WARM_UPS = 20; // V8 has compiled the code by then, as in a long-running service

export const title =
  'Dashboards and reports over HTTP, every period and interval; the baseline is `select count(*)` over all transactions without an index, by one process.';

export async function run(bench) {
  const url = await bench.copyOf(await bench.seeded(bench.large));
  const api = await bench.api(url);
  const admin = await api.signIn('admin@example.com');
  const scanner = await connectScanner(url);
  const measured = [];
  for (const path of reportPaths(new Date())) {
    const figures = await alternating(
      { scan: () => scanner.timeScan('user_transaction'), report: () => timed(() => api.get(path, admin)) },
      { rounds: ROUNDS, warmUps: WARM_UPS },
    );
    measured.push({ path, ...figures, ratio: figures.report / figures.scan });
  }
  const rows = await scanner.countRows('user_transaction');
  await scanner.end();
  await api.stop();
  measured.sort((a, b) => b.ratio - a.ratio);
  const [slowest] = measured;
  return {
    rows: [
      ratioRow(
        `${measured.length} dashboards and reports at ${rows.toLocaleString('en')} transactions, the slowest`,
        {
          figure: slowest.report,
          baseline: slowest.scan,
          baselineIs: 'one sequential scan',
          most: MAX_RATIO,
        },
      ),
    ],
    details: markdownTable(
      ['report', 'ms', 'ms of the scan', 'ratio'],
      measured.map(({ path, report, scan, ratio }) => [
        path,
        report.toFixed(1),
        scan.toFixed(1),
        ratio.toFixed(3),
      ]),
    ),
  };
}
