import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProcess } from '../../harness/api-process.js';
import { ledgerViolations } from '../../fixtures/ledger-fixtures.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { growth, holding, LEAKING, WATCHED, type Growth, type Holding } from '../load/memory-growth.js';
import { Load, median, percentile, type Told } from '../load/load.js';
import { MixedLoad, SERVED } from '../load/mixed-load.js';
import { MetricsPage } from '../../harness/metrics.js';
import { PRODUCTION_TIMEOUTS, startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';

// A service as a process of its own, with the bounds of production, under several times what it can serve; and for
// minutes under what it can serve well. Everything is compared with what this machine did just before.

const OVERLOAD_MS = Number(process.env.OVERLOAD_SECONDS ?? 60) * 1000;
const SOAK_MS = Number(process.env.SOAK_MINUTES ?? 5) * 60_000;
const MEASURED_MS = 15_000;
const CLIENTS = 16;
const CONNECTIONS = 600;
const TIMES = 5;
const LEAST_GOODPUT = 0.45; // refusing costs a tenth of serving, and the callers of five times as much use this machine as well
const RECOVERED_WITHIN_MS = 5000;

let platform: TestPlatform;
let mix: MixedLoad;
const apis: ApiProcess[] = [];
const loads: Load[] = [];

beforeAll(async () => {
  platform = await startPlatform({ at: new Date().toISOString() });
  mix = await MixedLoad.on(platform, new SeededRandom(SEED));
});
afterAll(async () => {
  for (const load of loads) load.end();
  for (const api of apis) await api.terminate();
  await platform.stop();
});

async function started(settings: Record<string, string> = {}): Promise<{ api: ApiProcess; load: Load }> {
  const api = await ApiProcess.launch({ ...platform.env, ...PRODUCTION_TIMEOUTS, ...settings });
  apis.push(api);
  await api.waitUntilReady();
  const load = new Load(api.url, CONNECTIONS, (told) => mix.note(told));
  loads.push(load);
  return { api, load };
}

const isServed = ({ status }: Told) => SERVED.includes(status);
const milliseconds = (told: Told[]) => told.map(({ ms }) => ms);

/** Seconds of a processor that it has had. */
async function processorSeconds(api: ApiProcess): Promise<number> {
  return (await MetricsPage.fetch(api.url)).value('process_cpu_seconds_total') ?? Number.NaN;
}

interface Capacity {
  perSecond: number;
  perProcessorSecond: number;
  p99: number;
}

/** What as many clients as it likes are served a second. */
async function capacity({ api, load }: { api: ApiProcess; load: Load }): Promise<Capacity> {
  const before = await processorSeconds(api);
  const told = await load.closedLoop(CLIENTS, MEASURED_MS, mix.next);
  expect(told.filter((one) => !isServed(one) && one.status !== 503)).toEqual([]);
  const served = told.filter(isServed);
  return {
    perSecond: (served.length * 1000) / MEASURED_MS,
    perProcessorSecond: served.length / ((await processorSeconds(api)) - before),
    p99: percentile(milliseconds(served), 99),
  };
}

/** Asks both probes, five times a second, until told to stop. */
function watchProbes(url: string): () => Promise<Told[]> {
  const load = new Load(url, 0); // each on a connection of its own, as a probe comes
  loads.push(load);
  const seen: Told[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const probe of ['live', 'ready'])
        seen.push(await load.one({ method: 'GET', path: `/api/health/${probe}` }));
      await sleep(200);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return seen;
  };
}

/** Until ten requests in a row are served. */
async function recovery(load: Load): Promise<number> {
  const began = performance.now();
  for (let inARow = 0; inARow < 10;) inARow = isServed(await load.one(mix.next())) ? inARow + 1 : 0;
  return performance.now() - began;
}

/** Nothing was done that was not answered as done, nothing twice, and the books are right. */
async function requireBooks(): Promise<void> {
  const [{ made }] = await platform.dataSource.query(
    'select (select count(*)::int from investment) + (select count(*)::int from withdrawal) as made',
  );
  expect(made).toBe(mix.made);
  expect(await ledgerViolations(platform.dataSource)).toEqual([]);
}

it(`several times its capacity leaves the capacity as it is (seed ${SEED})`, async () => {
  const running = await started();
  const { api, load } = running;
  await load.closedLoop(CLIENTS, 8000, mix.next); // warm
  const before = await capacity(running);
  await load.connect();
  const endWatching = watchProbes(api.url);
  const used = await processorSeconds(api);
  const { told, unsent } = await load.openLoop(before.perSecond * TIMES, OVERLOAD_MS, mix.next);
  const usedUp = (await processorSeconds(api)) - used;
  const back = await recovery(load);
  const probes = await endWatching();
  const after = await capacity(running);

  const served = told.filter(isServed);
  const refused = told.filter(({ status }) => status === 503);
  // Of the time, or of what it had of the processor: others may use this machine, too.
  const goodput = Math.max(
    (served.length * 1000) / OVERLOAD_MS / Math.min(before.perSecond, after.perSecond),
    served.length / usedUp / Math.min(before.perProcessorSecond, after.perProcessorSecond),
  );
  const live = milliseconds(probes.filter(({ ask }) => ask.path.endsWith('live')));
  const p99 = percentile(milliseconds(served), 99);
  const figures = {
    capacity: [before, after],
    asked: told.length,
    unsent,
    goodput,
    usedUp,
    p50: median(milliseconds(served)),
    p99,
    refusal: [median(milliseconds(refused)), percentile(milliseconds(refused), 99)],
    live: [median(live), percentile(live, 99)],
    back,
  };
  process.stdout.write(`overload ${JSON.stringify(figures)}\n`);

  expect(told.filter((one) => !isServed(one) && one.status !== 503)).toEqual([]); // none hung, none failed otherwise
  for (const { retryAfter, text } of refused)
    if (!text.includes('PARTIAL_DATA_AVAILABLE')) expect(retryAfter).toBeGreaterThan(0);
  expect(unsent / told.length).toBeLessThan(0.1); // it does not let so many wait that callers run out of connections
  expect(refused.length).toBeGreaterThan(told.length / 4);
  expect(goodput).toBeGreaterThan(LEAST_GOODPUT);
  expect(p99).toBeLessThan(1000 + 5 * before.p99); // its turn came within half a second, or not at all
  expect(probes.map(({ status }) => status)).toEqual(probes.map(() => 200));
  expect(median(live)).toBeLessThan(before.p99 + 100);
  expect(back).toBeLessThan(RECOVERED_WITHIN_MS);
  expect(after.perProcessorSecond / before.perProcessorSecond).toBeGreaterThan(0.5);
  await requireBooks();
  recordGuarantee(
    'G-07',
    `${TIMES} × ${Math.round(before.perSecond)} requests/s for ${OVERLOAD_MS / 1000} s: goodput ${Math.round(100 * goodput)} %, ` +
      `P99 ${Math.round(p99)} ms, live ${Math.round(median(live))} ms, back in ${Math.round(back)} ms`,
  );
});

/** A load that it serves well, for a while, with a look at what it holds again and again. */
async function soak(settings: Record<string, string>, forMs: number, next = mix.next): Promise<Growth> {
  const { api, load } = await started(settings);
  const holdings: Holding[] = [];
  await load.closedLoop(CLIENTS, forMs / 5, next); // caches fill, code is compiled
  const running = load.closedLoop(CLIENTS / 2, (forMs * 4) / 5, next);
  let isOver = false;
  void running.finally(() => (isOver = true));
  while (!isOver) {
    await sleep(forMs / 50);
    holdings.push(await holding(api, load.answers));
  }
  expect((await running).filter((one) => !isServed(one) && one.status !== 503)).toEqual([]);
  const grown = growth(holdings);
  process.stdout.write(`soak ${JSON.stringify({ ...grown, last: holdings.at(-1) })}\n`);
  await requireBooks();
  return grown;
}

it(`holds no more after minutes than before (seed ${SEED})`, async () => {
  const grown = await soak(WATCHED, SOAK_MS);
  expect(grown.bytes).toBeLessThan(grown.allowed);
  for (const [early, late] of Object.values(grown.handles)) expect(late).toBeLessThanOrEqual(early + 12);
  recordGuarantee(
    'G-10',
    `${SOAK_MS / 60_000} minutes, ${grown.requests} requests between first and last third, ${Math.round(grown.bytes / 1000)} kB`,
  );
});

it('would notice four kilobytes kept of each request', async () => {
  const grown = await soak(LEAKING, 60_000, () => ({ method: 'GET', path: '/api/ping' }));
  expect(grown.bytes).toBeGreaterThan(grown.allowed);
});
