// `npm run bench` runs all measures, `npm run bench -- lists reports` the named ones.
import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { printResult, printProgress, writeResult } from './frame.mjs';
import { openBench } from './support/bench.mjs';

const NOT_MEASURES = ['frame.mjs', 'run.mjs'];
const all = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.mjs') && !NOT_MEASURES.includes(file))
  .map((file) => file.slice(0, -'.mjs'.length));
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  printProgress(`Unknown measure: ${unknown.join(', ')}. Measures: ${all.join(', ')}.`);
  process.exit(1);
}

/** Settings that make a run smaller, for trials. A run with one of them does not write its results. */
const SIZES = [
  'BENCH_ROWS',
  'BENCH_USERS',
  'BENCH_SECONDS',
  'BENCH_LATENCY_SECONDS',
  'BENCH_DELIVERY_SECONDS',
  'BENCH_SOCKETS',
];
const changedSizes = SIZES.filter((name) => process.env[name]);

const bench = await openBench();
try {
  for (const name of chosen.length > 0 ? chosen : all) {
    printProgress(`· ${name}`);
    const { title, run } = await import(`./${name}.mjs`);
    const outcome = await run(bench);
    if (!outcome) continue; // the measure is skipped, and has printed why
    const result = { name, title, ...outcome };
    printResult(result);
    if (changedSizes.length === 0) await writeResult(result, bench.postgres.url('postgres'));
  }
  if (changedSizes.length > 0)
    printProgress(`RESULTS.md is not changed, because of ${changedSizes.join(', ')}.`);
} finally {
  await bench.close();
}
process.exit(0);
