// Prints a table row per recorded guarantee: `id`, `test` and `figure`, as in docs/guarantees.md.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export default class GuaranteesReporter {
  onRunComplete() {
    const folder = process.env.GUARANTEE_RESULTS;
    if (folder === undefined) return; // the set-up failed
    const rows = readdirSync(folder)
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line))
      .map(({ id, test, figure }) => `| ${id} | \`${test}\` | ${figure} |`)
      .sort();
    if (rows.length === 0) return;
    process.stdout.write(`\n| id | test | figure |\n| --- | --- | --- |\n${rows.join('\n')}\n`);
  }
}
