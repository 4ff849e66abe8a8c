// What every measurement shares: rounds that alternate between a figure and its baseline, medians, and the table.
import { execSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import pg from 'pg';

export const ROUNDS = 5;

/** To the one who waits; the table goes to a file. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds that some work takes. */
export async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/**
 * Medians of variants that take turns, every other round in the opposite order, so that whatever else the machine does
 * meets all of them alike. A variant answers its figure; `warmUps` rounds come before and do not count.
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
  return Object.fromEntries(Object.entries(figures).map(([name, all]) => [name, median(all)]));
}

const ms = (figure) => `${figure.toFixed(figure < 10 ? 2 : 1)} ms`;

/** A row of the table about two times: `figure` is to be at most `most` times the baseline. */
export function ratioRow(what, { figure, baseline, baselineIs, most }) {
  const ratio = figure / baseline;
  return {
    what,
    figure: ms(figure),
    baseline: `${baselineIs}: ${ms(baseline)}`,
    ratio: `${ratio.toFixed(2)} ×`,
    reach: `≤ ${most} ×`,
    reached: ratio <= most,
  };
}

export function markdownTable(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

async function machine(postgresUrl) {
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
const HEADS = ['what', 'figure', 'baseline', 'ratio', 'reach', 'reached'];

/** Sections of the file by measure, as they were written. */
function sectionsSoFar() {
  const text = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
  return new Map(
    text
      .split(/^(?=## )/m)
      .slice(1)
      .map((section) => [/^## (.+)$/m.exec(section)[1], section.trimEnd()]),
  );
}

/** Writes what was measured; the sections of other measures stay as they are. */
export async function writeResult({ name, title, rows, details }, postgresUrl) {
  const sections = sectionsSoFar();
  const table = markdownTable(
    HEADS,
    rows.map((row) => [
      row.what,
      row.figure,
      row.baseline,
      row.ratio,
      row.reach,
      row.reached ? 'yes' : '**no**',
    ]),
  );
  const parts = [`## ${name}`, title, await machine(postgresUrl), table, ...(details ? [details] : [])];
  sections.set(name, parts.join('\n\n'));
  const text = [
    '# Results',
    'Written by `npm run bench`; how each figure comes about stands in [README.md](README.md). Times depend on the machine, ratios hardly.',
    ...[...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, section]) => section),
  ].join('\n\n');
  writeFileSync(RESULTS, `${text}\n`);
}

export function printResult({ name, rows }) {
  for (const row of rows)
    say(
      `${row.reached ? 'reached' : 'MISSED '} ${name}: ${row.what}: ${row.ratio} (${row.reach}), ${row.figure} beside ${row.baseline}`,
    );
}
