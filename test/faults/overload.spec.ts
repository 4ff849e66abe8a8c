import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProcess } from '../harness/api-process.js';
import { violatedInvariants } from '../fixtures/ledger-fixtures.js';
import { eventually } from '../harness/eventually.js';
import type { TestUser } from '../fixtures/given.js';
import { LoadGenerator, median, type LoadRequest, type LoadResponse } from '../verification/load/load.js';
import { MetricsPage } from '../harness/metrics.js';
import { PRODUCTION_TIMEOUTS, startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';

// More concurrent requests than a small API process can serve. The tests hold locks until requests have been refused.

const POOL = 4;
const AT_ONCE = 8;
const BURST = 400;
const WAVES = 8;

let platform: TestPlatform;
let api: ApiProcess;
let load: LoadGenerator;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform({ at: new Date().toISOString() });
  api = await ApiProcess.launch({
    ...platform.env,
    DATABASE_POOL_WAIT_MS: PRODUCTION_TIMEOUTS.DATABASE_POOL_WAIT_MS as string,
    REQUEST_WAIT_MS: PRODUCTION_TIMEOUTS.REQUEST_WAIT_MS as string,
    DATABASE_POOL_SIZE: String(POOL),
    REQUESTS_AT_ONCE: String(AT_ONCE),
  });
  await api.waitUntilReady();
  load = new LoadGenerator(api.url);
  user = await platform.given.user().withBalance('100000.00');
});
/** Functions that end what a test has started, also if the test fails. */
let cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanUps.map((cleanUp) => cleanUp()));
  cleanUps = [];
});
afterAll(async () => {
  load.end();
  await api.terminate();
  await platform.stop();
});

const get = (path: string): LoadRequest => ({ method: 'GET', path, token: user.token });
const invest = (): LoadRequest => ({
  method: 'POST',
  path: '/api/user/investments',
  token: user.token,
  body: { strategyId: 'balanced-10', amount: '10.00' },
  headers: { 'idempotency-key': randomUUID() },
});
const withdraw = (): LoadRequest => ({
  method: 'POST',
  path: '/api/user/withdrawals',
  token: user.token,
  body: { amount: '10.00', currency: 'USDC', toAddress: DESTINATION },
});

/** Calls the probes in turn until the returned function is called, which returns the responses. */
function watchProbes(): () => Promise<LoadResponse[]> {
  const responses: LoadResponse[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const probe of ['live', 'ready'])
        responses.push(await load.send({ method: 'GET', path: `/api/health/${probe}` }));
      await sleep(20);
    }
  })();
  const end = async () => {
    isOver = true;
    await watching;
    return responses;
  };
  cleanUps.push(end);
  return end;
}

/** Number of requests in this state in the load shedder. */
async function countRequests(state: 'work' | 'waiting'): Promise<number> {
  const page = await MetricsPage.fetch(api.url);
  return page.value('http_requests_taken_in', { kind: 'everybody', state }) ?? Number.NaN;
}

/** Number of requests that the load shedder has rejected. */
async function rejectedByLoadShedder(): Promise<number> {
  const page = await MetricsPage.fetch(api.url);
  return page.value('overload_refusals_total', { kind: 'everybody' }) ?? 0;
}

/** Locks the user's balances; returns the function that releases them. */
async function holdBalances(): Promise<() => Promise<void>> {
  const runner = platform.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
  const release = async () => {
    if (runner.isReleased) return;
    await runner.rollbackTransaction();
    await runner.release();
  };
  cleanUps.push(release);
  return release;
}

/** Waits until as many statements wait for a lock as the pool has connections. */
const waitForLockWaits = () =>
  eventually(async () => {
    const waiting = await platform.dataSource.query(LOCK_WAITS);
    expect(waiting.length).toBeGreaterThanOrEqual(POOL);
  });

/** Repeats the request at once while it is refused. */
async function retryUntilServed(ask: LoadRequest): Promise<LoadResponse> {
  for (;;) {
    const response = await load.send(ask);
    if (response.status !== 503) return response;
  }
}

function expectRefusal({ status, retryAfter, text }: LoadResponse): void {
  expect([status, JSON.parse(text).error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect([1, 2, 3]).toContain(retryAfter); // chosen at random by the load shedder
}

it('a part of a burst of requests is served, the other requests get 503 with Retry-After, and none is carried out twice', async () => {
  const endWatching = watchProbes();
  const traceId = () => randomUUID().replaceAll('-', '');
  const requestsOfBurst = Array.from({ length: BURST }, (_, turn) => {
    const ask = turn % 4 === 0 ? invest() : get('/api/user/transactions');
    return { ...ask, headers: { ...ask.headers, traceparent: `00-${traceId()}-${traceId().slice(16)}-01` } };
  });
  const sentRequests: Promise<LoadResponse>[] = [];
  const release = await holdBalances(); // otherwise a fast machine would serve all
  for (let wave = 0; wave < WAVES; wave++) {
    for (const ask of requestsOfBurst.slice((wave * BURST) / WAVES, ((wave + 1) * BURST) / WAVES))
      sentRequests.push(load.send(ask));
    if (wave === WAVES / 2 - 1) {
      // Of the 200 requests so far, at most 8 have a slot and 8 are queued.
      await eventually(async () => expect(await rejectedByLoadShedder()).toBeGreaterThan(BURST / 4));
      await release();
    }
    await sleep(50);
  }
  const responses = await Promise.all(sentRequests);
  const refused = responses.filter(({ status }) => status === 503);
  const served = responses.filter(({ status }) => status === 200 || status === 201);
  for (const answer of refused) expectRefusal(answer);
  expect(served.length + refused.length).toBe(BURST); // no other status, none without a response
  expect(served.length).toBeGreaterThan(0);
  for (const { request, text } of responses)
    expect(request.headers?.traceparent).toContain(JSON.parse(text).traceId); // also those that waited

  const probes = await endWatching();
  const live = probes.filter(({ request }) => request.path.endsWith('live'));
  expect(live.map(({ status }) => status)).toEqual(live.map(() => 200));
  // The other refused requests timed out while they waited for a database connection.
  expect(await rejectedByLoadShedder()).toBeLessThanOrEqual(refused.length);

  // The refused requests are served when they are repeated, investments with the same key.
  for (let from = 0; from < refused.length; from += POOL) {
    const retries = await Promise.all(
      refused.slice(from, from + POOL).map(({ request }) => retryUntilServed(request)),
    );
    expect(retries.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
  }
  const { data } = await platform.as(user).get('/api/user/balance');
  expect(data.invested).toBe(`${(BURST / 4) * 10}.00`); // 10.00 for every fourth request: 400 / 4 × 10.00
  expect(await violatedInvariants(platform.dataSource)).toEqual([]);
  expect([await countRequests('work'), await countRequests('waiting')]).toEqual([0, 0]);
  recordGuarantee(
    'G-08',
    `burst of ${BURST}: ${served.length} served, ${refused.length} refused, ${probes.length} probes answered`,
  );
});

describe('While statements waiting for one lock occupy every connection', () => {
  let release: () => Promise<void>;

  beforeEach(async () => {
    release = await holdBalances();
  });

  it('further requests get 503 and the probes answer 200', async () => {
    const blocked = Array.from({ length: POOL }, () => retryUntilServed(withdraw()));
    await waitForLockWaits();
    const responses = await Promise.all(Array.from({ length: AT_ONCE * 6 }, () => load.send(withdraw())));
    const live: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const { status, ms } = await load.send({ method: 'GET', path: '/api/health/live' });
      expect(status).toBe(200);
      live.push(ms);
    }
    await eventually(async () => {
      const { status } = await load.send({ method: 'GET', path: '/api/health/ready' });
      expect(status).toBe(200); // a slow machine may need a second try: the readiness probe gives the database 1.5 s
    });
    await waitForLockWaits(); // the blocked statements still wait
    await release();
    for (const answer of responses) expectRefusal(answer);
    for (const { status } of await Promise.all(blocked)) expect(status).toBe(201);
    const slowest = Math.max(...responses.map(({ ms }) => ms));
    recordGuarantee(
      'G-09',
      `${responses.length} callers, slowest ${Math.round(slowest)} ms, live ${median(live).toFixed(1)} ms`,
    );
  });
});
