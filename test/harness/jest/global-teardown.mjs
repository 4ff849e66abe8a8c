import { existsSync, readFileSync, rmSync } from 'node:fs';

export default async function teardown() {
  const { postgres, dataDir } = globalThis.testPostgres;
  await postgres.stop();
  printGuarantees(process.env.GUARANTEE_RESULTS);
  rmSync(dataDir, { recursive: true, force: true });
}

/** Prints the recorded guarantees as in docs/guarantees.md. */
function printGuarantees(file) {
  if (!existsSync(file)) return;
  const rows = readFileSync(file, 'utf8').trim().split('\n').sort();
  process.stdout.write(`\n| id | test | figure |\n| --- | --- | --- |\n${rows.join('\n')}\n`);
}
