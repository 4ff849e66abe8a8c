import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProcess } from '../harness/api-process.js';
import { brokenLaws } from '../fixtures/ledger-fixtures.js';
import { eventually } from '../harness/eventually.js';
import type { TestUser } from '../fixtures/given.js';
import { Load, median, type Ask, type Told } from '../verification/load/load.js';
import { MetricsPage } from '../harness/metrics.js';
import { SHORT_WAITS, startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';

// More at once than can be served, callers who are slow, callers who hang up: a small service as a process of its own.

const POOL = 4;
const AT_ONCE = 8;
const BURST = 400;
const WAVES = 8;
const REQUEST_SECONDS = 2;
const ANSWERED_WITHIN_MS = 2000;
const LIVE_WITHIN_MS = 50; // median; a busy machine may have its pauses

let platform: TestPlatform;
let api: ApiProcess;
let load: Load;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform({ at: new Date().toISOString() });
  api = await ApiProcess.on({
    ...platform.env,
    ...SHORT_WAITS,
    DATABASE_POOL_SIZE: String(POOL),
    REQUESTS_AT_ONCE: String(AT_ONCE),
    REQUEST_SECONDS: String(REQUEST_SECONDS),
    KEEP_ALIVE_SECONDS: '1',
  });
  await api.ready();
  load = new Load(api.url);
  user = await platform.given.user().withBalance('100000.00');
});
afterAll(async () => {
  load.end();
  await api.terminate();
  await platform.stop();
});

const get = (path: string): Ask => ({ method: 'GET', path, token: user.token });
const invest = (): Ask => ({
  method: 'POST',
  path: '/api/user/investments',
  token: user.token,
  body: { strategyId: 'balanced-10', amount: '10.00' },
  headers: { 'idempotency-key': randomUUID() },
});
const withdraw = (): Ask => ({
  method: 'POST',
  path: '/api/user/withdrawals',
  token: user.token,
  body: { amount: '10.00', currency: 'USDC', toAddress: DESTINATION },
});

/** Asks the probes one after the other until told to stop. */
function watchProbes(): () => Promise<Told[]> {
  const seen: Told[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const probe of ['live', 'ready'])
        seen.push(await load.one({ method: 'GET', path: `/api/health/${probe}` }));
      await sleep(20);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return seen;
  };
}

/** How many requests of everybody are in work or waiting. */
async function takenIn(state: string): Promise<number> {
  const page = await MetricsPage.of(api.url);
  return page.value('http_requests_taken_in', { kind: 'everybody', state }) ?? Number.NaN;
}

function expectRefusal({ status, retryAfter, text }: Told): void {
  expect([status, JSON.parse(text).error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect([1, 2, 3]).toContain(retryAfter);
}

it('serves what it can of a burst, refuses the rest with Retry-After, and does nothing twice', async () => {
  const endWatching = watchProbes();
  const trace = () => randomUUID().replaceAll('-', '');
  const asks = Array.from({ length: BURST }, (_, turn) => {
    const ask = turn % 4 === 0 ? invest() : get('/api/user/transactions');
    return { ...ask, headers: { ...ask.headers, traceparent: `00-${trace()}-${trace().slice(16)}-01` } };
  });
  const asked: Promise<Told>[] = [];
  for (let wave = 0; wave < WAVES; wave++) {
    for (const ask of asks.slice((wave * BURST) / WAVES, ((wave + 1) * BURST) / WAVES))
      asked.push(load.one(ask));
    await sleep(50);
  }
  const told = await Promise.all(asked);
  const refused = told.filter(({ status }) => status === 503);
  const served = told.filter(({ status }) => status === 200 || status === 201);
  for (const answer of refused) expectRefusal(answer);
  expect(served.length + refused.length).toBe(BURST); // none hung, none failed otherwise
  expect(refused.length).toBeGreaterThan(BURST / 4);
  expect(served.length).toBeGreaterThanOrEqual(POOL);
  for (const { ask, text } of told) expect(ask.headers?.traceparent).toContain(JSON.parse(text).traceId); // who waited, too

  const probes = await endWatching();
  expect(probes.map(({ status }) => status)).toEqual(probes.map(() => 200));
  const page = await MetricsPage.of(api.url);
  const atTheGate = page.value('overload_refusals_total', { kind: 'everybody' }) ?? 0;
  expect(atTheGate).toBeGreaterThan(BURST / 4);
  expect(atTheGate).toBeLessThanOrEqual(refused.length); // some waited for a connection in vain

  // All is served again, right away: the refused ones with their keys, a few at a time.
  for (let from = 0; from < refused.length; from += POOL) {
    const again = await Promise.all(refused.slice(from, from + POOL).map(({ ask }) => load.one(ask)));
    expect(again.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
  }
  const { data } = await platform.as(user).get('/api/user/balance');
  expect(data.invested).toBe(`${(BURST / 4) * 10}.00`); // 10.00 for each fourth request, once
  expect(await brokenLaws(platform.dataSource)).toEqual([]);
  expect([await takenIn('work'), await takenIn('waiting')]).toEqual([0, 0]);
  recordGuarantee(
    'G-08',
    `burst of ${BURST}: ${served.length} served, ${refused.length} refused, ${probes.length} probes answered`,
  );
});

describe('while one held lock has taken every connection', () => {
  let letGo: () => Promise<void>;

  beforeEach(async () => {
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
    letGo = async () => {
      await runner.rollbackTransaction();
      await runner.release();
    };
  });

  const lockIsWaitedFor = () =>
    eventually(async () => {
      const waiting = await platform.dataSource.query(LOCK_WAITS);
      expect(waiting.length).toBeGreaterThanOrEqual(POOL);
    });

  it('everybody is told within two seconds, and the probes answer', async () => {
    const asked = Array.from({ length: AT_ONCE * 6 }, () => load.one(withdraw()));
    await lockIsWaitedFor();
    const live: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const { status, ms } = await load.one({ method: 'GET', path: '/api/health/live' });
      expect(status).toBe(200);
      live.push(ms);
    }
    const ready = await load.one({ method: 'GET', path: '/api/health/ready' });
    const told = await Promise.all(asked);
    await letGo();
    expect(ready.status).toBe(200);
    for (const answer of told) expectRefusal(answer);
    // How slow this machine is just now shows in how long the probe took: a millisecond where nobody else is.
    const slowest = Math.max(...told.map(({ ms }) => ms));
    expect(slowest).toBeLessThan(ANSWERED_WITHIN_MS + 50 * median(live));
    expect(median(live)).toBeLessThan(Math.max(LIVE_WITHIN_MS, slowest / 10));
    expect((await load.one(withdraw())).status).toBe(201);
    recordGuarantee(
      'G-09',
      `${told.length} callers, slowest ${Math.round(slowest)} ms, live ${median(live).toFixed(1)} ms`,
    );
  });

  it('the work of callers who hang up counts until it is over', async () => {
    await takenIn('work'); // what the page shows of the database is good for five seconds
    const gone = Array.from({ length: AT_ONCE * 2 }, () => sending(withdraw()));
    await lockIsWaitedFor();
    for (const socket of gone) socket.destroy();
    await eventually(async () => expect(await takenIn('waiting')).toBe(0)); // nobody waits for them
    expect(await takenIn('work')).toBeGreaterThan(0);
    await letGo();
    await eventually(async () => expect(await takenIn('work')).toBe(0));
  });
});

/** A connection that has sent a request, by hand; what follows its headers may be left out. */
function sending({ method, path, token, body }: Ask, more = ''): Socket {
  const text = body === undefined ? '' : JSON.stringify(body);
  const { port } = new URL(api.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length + more.length}\r\n\r\n${text}`,
  );
  return socket;
}

describe('callers who are slow', () => {
  const BOUND_MS = REQUEST_SECONDS * 1000 + 1000; // the server looks once a second
  const PATIENCE_MS = 2 * BOUND_MS;
  const DOCUMENTS = 30; // far more than the buffers between us hold

  /** What the server said until it closed, and after how long; in vain after a while. */
  const untilClosed = (socket: Socket) =>
    new Promise<{ said: string; ms: number }>((resolve, reject) => {
      const began = performance.now();
      let said = '';
      const timer = setTimeout(() => reject(new Error('the connection stays open')), PATIENCE_MS);
      socket.on('data', (piece: Buffer) => (said += piece.toString('latin1')));
      socket.once('close', () => {
        clearTimeout(timer);
        resolve({ said, ms: performance.now() - began });
      });
    });

  it('lose their connection after a while, and take nobody’s place meanwhile', async () => {
    const { text: document } = await load.one({ method: 'GET', path: '/api/openapi.json' }); // made once, which takes its time
    const { port } = new URL(api.url);
    const headless = connect(Number(port), '127.0.0.1');
    headless.write('GET /api/ping HTTP/1.1\r\nHost: he');
    const silent = connect(Number(port), '127.0.0.1');
    const idle = sending(get('/api/user/balance'));
    const drips = Array.from({ length: AT_ONCE * 3 }, () => sending(withdraw(), ' '.repeat(50)));
    const dripping = setInterval(() => drips.forEach((socket) => socket.writable && socket.write(' ')), 100);
    const closed = Promise.all([headless, silent, idle, ...drips].map(untilClosed));
    const deaf = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    deaf.pause();
    deaf.write('GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(DOCUMENTS));
    const deafened = sleep(2 * BOUND_MS);
    const others: Told[] = [];
    const fresh = new Load(api.url);
    for (let turn = 0; turn < 20; turn++) others.push(await fresh.one(get('/api/user/balance')));
    fresh.end();
    const [head, nothing, kept200, ...dripped] = await closed;
    clearInterval(dripping);
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
    expect([head?.said, nothing?.said]).toEqual([
      expect.stringMatching(/^HTTP\/1.1 408 /),
      expect.stringMatching(/^HTTP\/1.1 408 /),
    ]);
    expect(kept200?.said).toMatch(/^HTTP\/1.1 200 /);
    for (const { said } of dripped) expect(said).toMatch(/^HTTP\/1.1 408 |^$/); // a reset can go before it
    await deafened;
    deaf.resume();
    const { said: taken } = await untilClosed(deaf);
    expect(taken.length).toBeLessThan(document.length * DOCUMENTS);
    expect(await takenIn('work')).toBe(0);
    recordGuarantee('G-11', `${dripped.length + 4} slow connections`);
  });
});
