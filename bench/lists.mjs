// Every list of the OpenAPI document on a small and on a large platform with the same number of users.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { alternating, markdownTable, median, printProgress, timed } from './frame.mjs';
import { farPage, readSeededIds, listCalls, pathOf } from './support/list-calls.mjs';

const MOST = 2;
const SECOND_ROUNDS = 15;

export const title =
  'Each list, first page and page 100 (the last one where the small platform has fewer), each filter and each sort, over HTTP.';

/** Starts the API on a seeded database and collects the calls. */
async function startPlatformOn(bench, rows) {
  const url = await bench.copyOf(await bench.seeded(rows));
  const client = new pg.Client(url);
  await client.connect();
  const known = await readSeededIds(client);
  await client.end();
  const api = await bench.api(url);
  const [user, admin] = [await api.signIn('busy@example.org'), await api.signIn('admin@example.com')];
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  return {
    calls: listCalls(document, known),
    get: (path) => api.get(path, path.startsWith('/api/admin/') ? admin : user),
  };
}

export async function run(bench) {
  const small = await startPlatformOn(bench, bench.small);
  const large = await startPlatformOn(bench, bench.large);
  const measured = [];
  for (const [place, call] of small.calls.entries()) {
    const other = large.calls[place];
    const far = farPage(await small.get(pathOf(call)));
    for (const page of new Set([1, far])) {
      const variants = {
        small: () => timed(() => small.get(pathOf(call, page))),
        large: () => timed(() => large.get(pathOf(other, page))),
      };
      let figures = await alternating(variants);
      // Short times vary: calls that seem too slow are measured again with more rounds, which count.
      if (figures.large > MOST * figures.small)
        figures = await alternating(variants, { rounds: SECOND_ROUNDS });
      const of = [new URLSearchParams(call.query).toString(), page > 1 ? `page ${page}` : '']
        .filter(Boolean)
        .join(', ');
      measured.push({ path: call.path, of, ...figures, ratio: figures.large / figures.small });
    }
    if (place % 20 === 19) printProgress(`  ${place + 1} of ${small.calls.length} filters and sorts`);
  }
  return report(measured, bench);
}

function report(measured, bench) {
  const worst = (calls) => calls.reduce((a, b) => (b.ratio > a.ratio ? b : a));
  const slow = measured.filter(({ ratio }) => ratio > MOST).sort((a, b) => b.ratio - a.ratio);
  const routes = [...new Set(measured.map(({ path }) => path))];
  const ms = (figure) => figure.toFixed(1);
  const line = (call) => [call.path, call.of, ms(call.small), ms(call.large), call.ratio.toFixed(2)];
  const heads = [
    'route',
    'call',
    `ms at ${bench.small.toLocaleString('en')}`,
    `ms at ${bench.large.toLocaleString('en')}`,
    'ratio',
  ];
  for (const call of slow) printProgress(`  ${line(call).join(' ')}`);
  const top = worst(measured);
  return {
    rows: [
      {
        what: `${measured.length} calls of ${routes.length} lists, the call with the largest growth`,
        figure: `${ms(top.large)} ms`,
        baseline: `the same at ${bench.small.toLocaleString('en')} rows: ${ms(top.small)} ms`,
        ratio: `${top.ratio.toFixed(2)} × (median of all ${median(measured.map(({ ratio }) => ratio)).toFixed(2)} ×)`,
        reach: `≤ ${MOST} ×`,
        reached: slow.length === 0,
      },
    ],
    details: [
      'The call of each list with the largest growth:',
      markdownTable(
        heads,
        routes.map((path) => line(worst(measured.filter((call) => call.path === path)))),
      ),
      ...(slow.length > 0 ? [`Above ${MOST} ×:`, markdownTable(heads, slow.map(line))] : []),
    ].join('\n\n'),
  };
}
