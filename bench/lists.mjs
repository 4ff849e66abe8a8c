// Every list of the OpenAPI document on a small and on a large platform with the same number of users, and on the large
// platform of another checkout.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { withoutReferences } from '../dist/http/openapi/references.js';
import { alternating, markdownTable, median, printProgress, timed } from './frame.mjs';
import { otherCheckout, startOther } from './support/against.mjs';
import { keepAliveGet } from './support/api.mjs';
import { farPage, isCounted, readSeededIds, listCalls, pathOf } from './support/list-calls.mjs';

const MAX_RATIO = 2;
/** The limit instead of the ratio for filters by which no sums are kept, whose rows are counted. */
const MAX_COUNTED_MS = 250;
const MAX_RATIO_TO_OTHER = 1.1; // median of all calls
const REPEATED_ROUNDS = 15;

export const title =
  'Each list, first page and page 100 (the last one where the small platform has fewer), each filter and each sort, over HTTP.';

/** Starts the API on a seeded database. Returns the calls of its lists and a function that sends one. */
async function startPlatformOn(bench, rows) {
  const url = await bench.copyOf(await bench.seeded(rows));
  const client = new pg.Client(url);
  await client.connect();
  const seededIds = await readSeededIds(client);
  await client.end();
  const api = await bench.api(url);
  const user = await api.signIn('busy@example.org');
  const admin = await api.signIn('admin@example.com');
  const document = withoutReferences(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
  return {
    calls: listCalls(document, seededIds),
    get: (path) => api.get(path, path.startsWith('/api/admin/') ? admin : user),
  };
}

/** Starts the large platform of the other checkout. Its calls contain ids of its own rows, which are read over HTTP. */
async function startOtherPlatform() {
  const started = await startOther('lists');
  const { url, user, admin } = started.ready;
  const getPath = keepAliveGet(url);
  const get = (path) => getPath(path, path.startsWith('/api/admin/') ? admin : user);
  const dataOf = async (path) => JSON.parse(await get(path)).data;
  const seededIds = {
    busyUser: (await dataOf('/api/auth/user/profile')).id,
    today: new Date(),
    ids: {
      '/api/user/webhooks/{id}/deliveries': (await dataOf('/api/user/webhooks'))[0].id,
      '/api/admin/reconciliations/{id}/lines': (await dataOf('/api/admin/reconciliations'))[0].id,
      '/api/admin/books/accounts/{id}/entries': 'asset.custody:USDC',
    },
  };
  const document = withoutReferences(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
  return { calls: listCalls(document, seededIds), get, stop: started.stop };
}

/** True if the platform answers the call with 200: the other checkout can lack a list, a filter or a sort. */
const answers = (platform, call) =>
  platform.get(pathOf(call)).then(
    () => true,
    (error) => {
      if (error.code) throw error; // of the connection: the platform has not answered at all
      return false;
    },
  );

export async function run(bench) {
  const small = await startPlatformOn(bench, bench.small);
  const large = await startPlatformOn(bench, bench.large);
  const other = otherCheckout && (await startOtherPlatform());
  const measured = [];
  for (const [index, call] of small.calls.entries()) {
    const variantsOf = (page) => ({
      small: () => timed(() => small.get(pathOf(call, page))),
      large: () => timed(() => large.get(pathOf(large.calls[index], page))),
    });
    const otherCall = other?.calls[index];
    const isInOther = other && (await answers(other, otherCall));
    const far = farPage(await small.get(pathOf(call)));
    for (const page of new Set([1, far])) {
      const variants = variantsOf(page);
      if (isInOther) variants.other = () => timed(() => other.get(pathOf(otherCall, page)));
      let figures = await alternating(variants);
      // Short times vary: a call that seems too slow is measured again with more rounds, and only these figures count.
      if (isTooSlow(figures, isCounted(call)))
        figures = await alternating(variants, { rounds: REPEATED_ROUNDS });
      const filters = [new URLSearchParams(call.query).toString(), page > 1 ? `page ${page}` : '']
        .filter(Boolean)
        .join(', ');
      measured.push({
        path: call.path,
        filters,
        ...figures,
        ratio: figures.large / figures.small,
        isCounted: isCounted(call),
      });
    }
    if (index % 20 === 19) printProgress(`  ${index + 1} of ${small.calls.length} filters and sorts`);
  }
  await other?.stop();
  return report(measured, bench);
}

const isTooSlow = ({ small, large }, counted) =>
  large > MAX_RATIO * small && !(counted && large <= MAX_COUNTED_MS);

const callWithLargestRatio = (calls) => calls.reduce((a, b) => (b.ratio > a.ratio ? b : a));

/** The row that compares the calls that both checkouts answer. */
function rowAgainstOther(measured) {
  const both = measured
    .filter((call) => call.other !== undefined)
    .map((call) => ({ ...call, ratio: call.large / call.other }));
  const ratio = median(both.map((call) => call.ratio));
  const slowest = callWithLargestRatio(both);
  return {
    what: `${both.length} calls of the lists at the large size, median`,
    figure: `${median(both.map((call) => call.large)).toFixed(1)} ms`,
    baseline: `source ${otherCheckout.name}: ${median(both.map((call) => call.other)).toFixed(1)} ms`,
    ratio: `${ratio.toFixed(2)} × (the largest ${slowest.ratio.toFixed(2)} ×: ${slowest.path} ${slowest.filters})`,
    target: `≤ ${MAX_RATIO_TO_OTHER} ×`,
    reached: ratio <= MAX_RATIO_TO_OTHER,
  };
}

function report(measured, bench) {
  const slow = measured.filter((call) => isTooSlow(call, call.isCounted)).sort((a, b) => b.ratio - a.ratio);
  const routes = [...new Set(measured.map(({ path }) => path))];
  const ms = (figure) => figure.toFixed(1);
  const line = (call) => [call.path, call.filters, ms(call.small), ms(call.large), call.ratio.toFixed(2)];
  const heads = [
    'route',
    'call',
    `ms at ${bench.small.toLocaleString('en')}`,
    `ms at ${bench.large.toLocaleString('en')}`,
    'ratio',
  ];
  for (const call of slow) printProgress(`  ${line(call).join(' ')}`);
  const top = callWithLargestRatio(measured.filter((call) => !call.isCounted));
  const counted = measured.filter((call) => call.isCounted);
  const slowest = counted.reduce((a, b) => (b.large > a.large ? b : a));
  return {
    rows: [
      {
        what: `${measured.length - counted.length} calls of ${routes.length} lists, the call with the largest growth`,
        figure: `${ms(top.large)} ms`,
        baseline: `the same at ${bench.small.toLocaleString('en')} rows: ${ms(top.small)} ms`,
        ratio: `${top.ratio.toFixed(2)} × (median of all ${median(measured.map(({ ratio }) => ratio)).toFixed(2)} ×)`,
        target: `≤ ${MAX_RATIO} ×`,
        reached: slow.every((call) => call.isCounted),
      },
      {
        what: `${counted.length} calls with a filter by amount, time, user or text, the slowest`,
        figure: `${ms(slowest.large)} ms (${slowest.path} ${slowest.filters})`,
        baseline: `the same at ${bench.small.toLocaleString('en')} rows: ${ms(slowest.small)} ms`,
        ratio: `${slowest.ratio.toFixed(2)} ×`,
        target: `≤ ${MAX_RATIO} × or ≤ ${MAX_COUNTED_MS} ms`,
        reached: slow.every((call) => !call.isCounted),
      },
      ...(otherCheckout ? [rowAgainstOther(measured)] : []),
    ],
    details: [
      'The call of each list with the largest growth:',
      markdownTable(
        heads,
        routes.map((path) => line(callWithLargestRatio(measured.filter((call) => call.path === path)))),
      ),
      ...(slow.length > 0 ? ['Above the target:', markdownTable(heads, slow.map(line))] : []),
    ].join('\n\n'),
  };
}
