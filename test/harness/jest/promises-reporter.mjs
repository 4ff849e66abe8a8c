// Prints what the tests have told of the promises, as rows of the README's table.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export default class PromisesReporter {
  onRunComplete() {
    const folder = process.env.KEPT_PROMISES;
    if (folder === undefined) return; // the set-up failed
    const rows = readdirSync(folder)
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line))
      .map(({ promise, test, figure }) => `| ${promise} | \`${test}\` | ${figure} |`)
      .sort();
    if (rows.length === 0) return;
    process.stdout.write(`\n| promise | test | figure |\n| --- | --- | --- |\n${rows.join('\n')}\n`);
  }
}
