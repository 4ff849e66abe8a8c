import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProcess } from '../../harness/api-process.js';
import { violatedInvariants } from '../../fixtures/ledger-fixtures.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import {
  memoryGrowth,
  readMemory,
  LEAKING_SETTINGS,
  WATCHED_SETTINGS,
  type MemoryGrowth,
  type MemoryReading,
} from '../load/memory-growth.js';
import { LoadGenerator, median, percentile, type LoadResponse } from '../load/load.js';
import { isServed, RequestMix } from '../load/request-mix.js';
import { MetricsPage } from '../../harness/metrics.js';
import { PRODUCTION_TIMEOUTS, startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';

// Loads an API process that has the time-outs of production: by a multiple of its capacity, then for minutes below it.
// The load and the expected figures are relative to the capacity of this machine, which is measured first.

const OVERLOAD_MS = Number(process.env.OVERLOAD_SECONDS ?? 60) * 1000;
const SOAK_MS = Number(process.env.SOAK_MINUTES ?? 5) * 60_000;
const MEASURED_MS = 15_000;
const CLIENTS = 16;
const CONNECTIONS = 600;
const OVERLOAD_FACTOR = 5;
const MIN_GOODPUT = 0.45; // a refusal costs a tenth of a served request, and the load generator uses the same machine
const MAX_RECOVERY_MS = 5000;

let platform: TestPlatform;
let mix: RequestMix;
const apis: ApiProcess[] = [];
const loads: LoadGenerator[] = [];

beforeAll(async () => {
  platform = await startPlatform({ at: new Date().toISOString() });
  mix = await RequestMix.on(platform, new SeededRandom(SEED));
});
afterAll(async () => {
  for (const load of loads) load.end();
  for (const api of apis) await api.terminate();
  await platform?.stop();
});

async function startApi(
  settings: Record<string, string> = {},
): Promise<{ api: ApiProcess; load: LoadGenerator }> {
  const api = await ApiProcess.launch({
    ...platform.env,
    ...PRODUCTION_TIMEOUTS,
    CONNECTIONS_PER_ADDRESS: String(2 * CONNECTIONS),
    ...settings,
  });
  apis.push(api);
  await api.waitUntilReady();
  const load = new LoadGenerator(api.url, CONNECTIONS, (response) => mix.recordResponse(response));
  loads.push(load);
  return { api, load };
}

const milliseconds = (responses: LoadResponse[]) => responses.map(({ ms }) => ms);

/** CPU time that the process has used. */
async function cpuSecondsOf(api: ApiProcess): Promise<number> {
  return (await MetricsPage.fetch(api.url)).value('process_cpu_seconds_total') ?? Number.NaN;
}

interface Capacity {
  perSecond: number;
  /** Per second of CPU time. */
  perCpuSecond: number;
  /** Milliseconds within which 99 % of the requests are served. */
  p99: number;
}

/** Measures the requests that the process serves in a closed loop. */
async function capacity({ api, load }: { api: ApiProcess; load: LoadGenerator }): Promise<Capacity> {
  const before = await cpuSecondsOf(api);
  const responses = await load.closedLoop(CLIENTS, MEASURED_MS, mix.next);
  expect(responses.filter((response) => !isServed(response) && response.status !== 503)).toEqual([]);
  const served = responses.filter(isServed);
  return {
    perSecond: (served.length * 1000) / MEASURED_MS,
    perCpuSecond: served.length / ((await cpuSecondsOf(api)) - before),
    p99: percentile(milliseconds(served), 99),
  };
}

/** Calls both probes five times per second until the returned function is called. */
function watchProbes(url: string): () => Promise<LoadResponse[]> {
  const load = new LoadGenerator(url, 0); // a new connection for each call, as probes use
  loads.push(load);
  const responses: LoadResponse[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const probe of ['live', 'ready'])
        responses.push(await load.send({ method: 'GET', path: `/api/health/${probe}` }));
      await sleep(200);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return responses;
  };
}

/** Time until ten consecutive requests are served. */
async function recoveryMs(load: LoadGenerator): Promise<number> {
  const began = performance.now();
  let inARow = 0;
  while (inARow < 10) inARow = isServed(await load.send(mix.next())) ? inARow + 1 : 0;
  return performance.now() - began;
}

/** Asserts that the records match the acknowledged writes and that the ledger keeps its invariants. */
async function requireRecordsMatch(): Promise<void> {
  const [{ records }] = await platform.dataSource.query(
    'select (select count(*)::int from investment) + (select count(*)::int from withdrawal) as records',
  );
  expect(records).toBe(mix.createdCount);
  expect(await violatedInvariants(platform.dataSource)).toEqual([]);
}

it(`under a load of ${OVERLOAD_FACTOR} times the capacity, more than ${100 * MIN_GOODPUT} % of the capacity is served, other requests get 503, and the probes answer (seed ${SEED})`, async () => {
  const running = await startApi();
  const { api, load } = running;
  await load.closedLoop(CLIENTS, 8000, mix.next); // warm-up
  const before = await capacity(running);
  await load.connect();
  const endWatching = watchProbes(api.url);
  const cpuSecondsBefore = await cpuSecondsOf(api);
  const { responses, unsent } = await load.openLoop(
    before.perSecond * OVERLOAD_FACTOR,
    OVERLOAD_MS,
    mix.next,
  );
  const cpuSeconds = (await cpuSecondsOf(api)) - cpuSecondsBefore;
  const recovery = await recoveryMs(load);
  const probes = await endWatching();
  const after = await capacity(running);

  const served = responses.filter(isServed);
  const refused = responses.filter(({ status }) => status === 503);
  // The better of the rates by wall-clock time and by CPU time, since other processes may use this machine.
  const goodput = Math.max(
    (served.length * 1000) / OVERLOAD_MS / Math.min(before.perSecond, after.perSecond),
    served.length / cpuSeconds / Math.min(before.perCpuSecond, after.perCpuSecond),
  );
  const live = milliseconds(probes.filter(({ request }) => request.path.endsWith('live')));
  const p99 = percentile(milliseconds(served), 99);
  const figures = {
    capacity: [before, after],
    sentRequests: responses.length,
    unsent,
    goodput,
    cpuSeconds,
    p50: median(milliseconds(served)),
    p99,
    refusal: [median(milliseconds(refused)), percentile(milliseconds(refused), 99)],
    live: [median(live), percentile(live, 99)],
    recovery,
  };
  process.stdout.write(`overload ${JSON.stringify(figures)}\n`);

  expect(responses.filter((response) => !isServed(response) && response.status !== 503)).toEqual([]); // no other status, none without a response
  for (const { retryAfter } of refused) expect(retryAfter).toBeGreaterThan(0);
  expect(unsent / responses.length).toBeLessThan(0.1); // few requests lacked a connection, because queues stay short
  expect(refused.length).toBeGreaterThan(responses.length / 4);
  expect(goodput).toBeGreaterThan(MIN_GOODPUT);
  expect(p99).toBeLessThan(1000 + 5 * before.p99); // queued requests are served within half a second or refused
  expect(probes.map(({ status }) => status)).toEqual(probes.map(() => 200));
  expect(median(live)).toBeLessThan(before.p99 + 100);
  expect(recovery).toBeLessThan(MAX_RECOVERY_MS);
  expect(after.perCpuSecond / before.perCpuSecond).toBeGreaterThan(0.5);
  await requireRecordsMatch();
  recordGuarantee(
    'G-07',
    `${OVERLOAD_FACTOR} × ${Math.round(before.perSecond)} requests/s for ${OVERLOAD_MS / 1000} s: goodput ${Math.round(100 * goodput)} %, ` +
      `P99 ${Math.round(p99)} ms, live ${Math.round(median(live))} ms, recovered in ${Math.round(recovery)} ms`,
  );
});

/** Sends requests with half the clients that measure the capacity, and reads the memory repeatedly. */
async function soak(settings: Record<string, string>, forMs: number): Promise<MemoryGrowth> {
  const { api, load } = await startApi(settings);
  const readings: MemoryReading[] = [];
  await load.closedLoop(CLIENTS, forMs / 5, mix.next); // warm-up
  const running = load.closedLoop(CLIENTS / 2, (forMs * 4) / 5, mix.next);
  let isOver = false;
  void running.finally(() => (isOver = true));
  while (!isOver) {
    await sleep(forMs / 50);
    readings.push(await readMemory(api, load.responseCount));
  }
  expect((await running).filter((response) => !isServed(response) && response.status !== 503)).toEqual([]);
  const growth = memoryGrowth(readings);
  process.stdout.write(`soak ${JSON.stringify({ ...growth, last: readings.at(-1) })}\n`);
  await requireRecordsMatch();
  return growth;
}

it(`the memory and the handles of the API do not grow during minutes of load (seed ${SEED})`, async () => {
  const growth = await soak(WATCHED_SETTINGS, SOAK_MS);
  expect(growth.bytes).toBeLessThan(growth.permittedBytes);
  for (const [early, late] of Object.values(growth.handles)) expect(late).toBeLessThanOrEqual(early + 12);
  recordGuarantee(
    'G-10',
    `${SOAK_MS / 60_000} minutes, ${growth.requests} requests between first and last third, ${Math.round(growth.bytes / 1000)} kB`,
  );
});

it('the measurement detects a leak of 4 KB per request', async () => {
  const growth = await soak(LEAKING_SETTINGS, 60_000); // with a faster mix of requests the leak would fill the heap
  expect(growth.bytes).toBeGreaterThan(growth.permittedBytes);
});
