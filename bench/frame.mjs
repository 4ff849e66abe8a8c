// Shared by all measurements: alternating rounds of a figure and its baseline, medians, and the result table.
import { execSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import pg from 'pg';

export const ROUNDS = 5;
/** Warm-up rounds of three seconds until V8 has compiled the code of all requests: first rates are a third of later ones. */
export const COMPILING_ROUNDS = 7;

/** Prints progress; the results go to a file. */
export function printProgress(line) {
  process.stderr.write(`${line}\n`);
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function percentile(values, share) {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];
}

/** Runs `work` and returns its duration in milliseconds. */
export async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/**
 * Calls all variants in each round and returns the median figure of each by its name. Every other round has the opposite
 * order, so that other load on the machine affects all variants equally. A variant returns its figure. The first `warmUps`
 * rounds do not count.
 */
export async function alternating(variants, { rounds = ROUNDS, warmUps = 1 } = {}) {
  const figures = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    const order = Object.entries(variants);
    if (round % 2) order.reverse();
    for (const [name, variant] of order) {
      const figure = await variant();
      if (round >= 0) figures[name].push(figure);
    }
  }
  return Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, median(values)]));
}

/** A table row for durations, or amounts of another unit. The target is at most `most` times the baseline. */
export function ratioRow(what, { figure, baseline, baselineIs, most, unit = 'ms' }) {
  const ratio = figure / baseline;
  const withUnit = (amount) => `${amount.toFixed(amount < 10 ? 2 : 1)} ${unit}`;
  return {
    what,
    figure: withUnit(figure),
    baseline: `${baselineIs}: ${withUnit(baseline)}`,
    ratio: `${ratio.toFixed(2)} ×`,
    target: `≤ ${most} ×`,
    reached: ratio <= most,
  };
}

export function markdownTable(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The processor, the versions and settings, the commit and the day of a run, as a list. */
async function describeRun(postgresUrl) {
  const client = new pg.Client(postgresUrl);
  await client.connect();
  const { rows } = await client.query(
    `select current_setting('server_version') as version,
            string_agg(name || ' ' || current_setting(name), ', ' order by name) as settings
       from pg_settings where name in ('shared_buffers', 'work_mem', 'jit', 'max_parallel_workers_per_gather',
                                       'random_page_cost')`,
  );
  await client.end();
  const [{ version, settings }] = rows;
  const [cpu] = cpus();
  return [
    `- ${cpu.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()} ${release()} ${arch()}`,
    `- Node ${process.version}, PostgreSQL ${version} (${settings})`,
    `- source ${execSync('git rev-parse --short=12 HEAD', { encoding: 'utf8' }).trim()}, ${new Date().toISOString().slice(0, 10)}`,
  ].join('\n');
}

const RESULTS = new URL('RESULTS.md', import.meta.url);
const HEADS = ['what', 'figure', 'baseline', 'ratio', 'target', 'reached'];

/** The sections of RESULTS.md by measure. */
function existingSections() {
  const text = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
  return new Map(
    text
      .split(/^(?=## )/m)
      .slice(1)
      .map((section) => [/^## (.+)$/m.exec(section)[1], section.trimEnd()]),
  );
}

/** Writes the section of a measure to RESULTS.md; the sections of other measures stay unchanged. */
export async function writeResult({ name, title, rows, details }, postgresUrl) {
  const sections = existingSections();
  const table = markdownTable(
    HEADS,
    rows.map((row) => [
      row.what,
      row.figure,
      row.baseline,
      row.ratio,
      row.target,
      row.reached ? 'yes' : '**no**',
    ]),
  );
  const parts = [`## ${name}`, title, await describeRun(postgresUrl), table, ...(details ? [details] : [])];
  sections.set(name, parts.join('\n\n'));
  const text = [
    '# Results',
    'Written by `npm run bench`. [README.md](README.md) describes each measure, [findings.md](findings.md) explains the figures. Times depend on the machine, ratios hardly.',
    ...[...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, section]) => section),
  ].join('\n\n');
  writeFileSync(RESULTS, `${text}\n`);
}

export function printResult({ name, rows }) {
  for (const row of rows)
    printProgress(
      `${row.reached ? 'reached' : 'MISSED '} ${name}: ${row.what}: ${row.ratio} (${row.target}), ${row.figure}, baseline ${row.baseline}`,
    );
}
