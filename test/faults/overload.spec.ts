import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConfig } from '../../src/config/app-config.js';
import { Admission } from '../../src/http/overload/admission.js';
import { ApiProcess } from '../harness/api-process.js';
import { brokenLaws } from '../fixtures/ledger-fixtures.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest } from '../harness/http-client.js';
import type { TestUser } from '../fixtures/given.js';
import { Load, median, type Ask, type Told } from '../verification/load/load.js';
import { MetricsPage } from '../harness/metrics.js';
import { SHORT_WAITS, startPlatform, type TestPlatform } from '../harness/platform.js';
import { replicaOf } from '../harness/replica.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';

// More at once than can be served, as a small service tells it that is a process of its own; callers who are slow, and
// callers who hang up. Nobody gives up a lock but the test that holds it.

const POOL = 4;
const AT_ONCE = 8;
const BURST = 400;
const WAVES = 8;
const NEVER_MS = 600_000; // longer than a test may take

let platform: TestPlatform;
let api: ApiProcess;
let load: Load;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform({ at: new Date().toISOString() });
  api = await ApiProcess.on({
    ...platform.env,
    DATABASE_POOL_WAIT_MS: SHORT_WAITS.DATABASE_POOL_WAIT_MS as string,
    REQUEST_WAIT_MS: SHORT_WAITS.REQUEST_WAIT_MS as string,
    DATABASE_POOL_SIZE: String(POOL),
    REQUESTS_AT_ONCE: String(AT_ONCE),
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

async function refusedAtTheGate(): Promise<number> {
  const page = await MetricsPage.of(api.url);
  return page.value('overload_refusals_total', { kind: 'everybody' }) ?? 0;
}

/** Locks the user's balances from outside until it is let go. */
async function holdBalances(): Promise<() => Promise<void>> {
  const runner = platform.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('select from ledger_account where owner_id = $1 for update', [user.id]);
  return async () => {
    await runner.rollbackTransaction();
    await runner.release();
  };
}

const lockIsWaitedFor = () =>
  eventually(async () => {
    const waiting = await platform.dataSource.query(LOCK_WAITS);
    expect(waiting.length).toBeGreaterThanOrEqual(POOL);
  });

/** Asks again while it is refused, as Retry-After says. */
async function inTheEnd(ask: Ask): Promise<Told> {
  for (;;) {
    const told = await load.one(ask);
    if (told.status !== 503) return told;
  }
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
  const letGo = await holdBalances(); // or a fast machine would serve them all
  for (let wave = 0; wave < WAVES; wave++) {
    for (const ask of asks.slice((wave * BURST) / WAVES, ((wave + 1) * BURST) / WAVES))
      asked.push(load.one(ask));
    if (wave === WAVES / 2 - 1) {
      await eventually(async () => expect(await refusedAtTheGate()).toBeGreaterThan(BURST / 4));
      await letGo();
    }
    await sleep(50);
  }
  const told = await Promise.all(asked);
  const refused = told.filter(({ status }) => status === 503);
  const served = told.filter(({ status }) => status === 200 || status === 201);
  for (const answer of refused) expectRefusal(answer);
  expect(served.length + refused.length).toBe(BURST); // none hung, none failed otherwise
  expect(served.length).toBeGreaterThan(0);
  for (const { ask, text } of told) expect(ask.headers?.traceparent).toContain(JSON.parse(text).traceId); // who waited, too

  const probes = await endWatching();
  const live = probes.filter(({ ask }) => ask.path.endsWith('live'));
  expect(live.map(({ status }) => status)).toEqual(live.map(() => 200));
  expect(await refusedAtTheGate()).toBeLessThanOrEqual(refused.length); // some waited for a connection in vain

  // All is served again: the refused ones with their keys, a few at a time.
  for (let from = 0; from < refused.length; from += POOL) {
    const again = await Promise.all(refused.slice(from, from + POOL).map(({ ask }) => inTheEnd(ask)));
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
}, 180_000);

describe('while one held lock has taken every connection', () => {
  let letGo: () => Promise<void>;

  beforeEach(async () => {
    letGo = await holdBalances();
  });

  it('everybody else is told, and the probes answer', async () => {
    const held = Array.from({ length: POOL }, () => inTheEnd(withdraw()));
    await lockIsWaitedFor();
    const told = await Promise.all(Array.from({ length: AT_ONCE * 6 }, () => load.one(withdraw())));
    const live: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const { status, ms } = await load.one({ method: 'GET', path: '/api/health/live' });
      expect(status).toBe(200);
      live.push(ms);
    }
    await eventually(async () => {
      const { status } = await load.one({ method: 'GET', path: '/api/health/ready' });
      expect(status).toBe(200); // a slow machine may need a second look: the database is given a second and a half
    });
    await lockIsWaitedFor(); // they are at it still
    await letGo();
    for (const answer of told) expectRefusal(answer);
    for (const { status } of await Promise.all(held)) expect(status).toBe(201);
    const slowest = Math.max(...told.map(({ ms }) => ms));
    recordGuarantee(
      'G-09',
      `${told.length} callers, slowest ${Math.round(slowest)} ms, live ${median(live).toFixed(1)} ms`,
    );
  });

  it('the work of callers who hang up counts until it is over', async () => {
    const { url, admission } = await smallService();
    const ofEverybody = () => admission.state.find(({ kind }) => kind === 'everybody');
    const gone = Array.from({ length: AT_ONCE * 2 }, () => sending(url, withdraw()));
    await lockIsWaitedFor();
    for (const socket of gone) socket.destroy();
    await eventually(async () => {
      const { inWork, waiting } = ofEverybody() ?? {};
      expect(waiting).toBe(0); // nobody waits for them
      expect(inWork).toBeGreaterThan(0);
    });
    await letGo();
    await eventually(async () => expect(ofEverybody()).toMatchObject({ inWork: 0, waiting: 0 }));
  });
});

/** As small, in this process, where one can look inside; with these settings. */
async function smallService(
  settings: Partial<AppConfig> = {},
): Promise<{ url: string; server: Server; admission: Admission }> {
  const size = { DATABASE_POOL_SIZE: POOL, REQUESTS_AT_ONCE: AT_ONCE, REQUEST_WAIT_MS: NEVER_MS };
  const app = await replicaOf(platform, { ...size, DATABASE_POOL_WAIT_MS: NEVER_MS, ...settings });
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), server: app.getHttpServer() as Server, admission: app.get(Admission) };
}

/** A connection that has sent a request, by hand; what follows its headers may be left out. */
function sending(url: string, { method, path, token, body }: Ask, more = ''): Socket {
  const text = body === undefined ? '' : JSON.stringify(body);
  const socket = connecting(url);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length + more.length}\r\n\r\n${text}`,
  );
  return socket;
}

function connecting(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
}

describe('callers who are slow', () => {
  const DOCUMENTS = 30; // far more than the buffers between us hold
  const LEFT_OUT = ' '.repeat(50_000); // of a body: at ten bytes a second it never ends

  /** Bodies that arrive drop by drop. */
  function dripping(url: string): { drips: Socket[]; end: () => void } {
    const drips = Array.from({ length: AT_ONCE * 3 }, () => sending(url, withdraw(), LEFT_OUT));
    const tap = setInterval(() => drips.forEach((socket) => socket.writable && socket.write(' ')), 100);
    return { drips, end: () => clearInterval(tap) };
  }

  /** What the server said until it closed. */
  const untilClosed = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let said = '';
      socket.on('data', (piece: Buffer) => (said += piece.toString('latin1')));
      socket.once('close', () => resolve(said));
    });

  it('lose their connection after a while', async () => {
    const { url, server, admission } = await smallService({ REQUEST_SECONDS: 2, KEEP_ALIVE_SECONDS: 1 });
    const { text: document } = await sendRequest(`${url}/api/openapi.json`);
    const headless = connecting(url);
    headless.write('GET /api/ping HTTP/1.1\r\nHost: he');
    const silent = connecting(url);
    const idle = sending(url, get('/api/user/balance'));
    const { drips, end } = dripping(url);
    const closed = Promise.all([headless, silent, idle, ...drips].map(untilClosed));
    const [head, nothing, kept200, ...dripped] = await closed;
    end();
    expect([head, nothing]).toEqual([
      expect.stringMatching(/^HTTP\/1.1 408 /),
      expect.stringMatching(/^HTTP\/1.1 408 /),
    ]);
    expect(kept200).toMatch(/^HTTP\/1.1 200 /);
    for (const said of dripped) expect(said).toMatch(/^HTTP\/1.1 408 |^$/); // a reset can go before it

    const arrived = once(server, 'connection');
    const deaf = connecting(url).pause();
    deaf.write('GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(DOCUMENTS));
    const [spokenTo] = (await arrived) as [Socket];
    if (!spokenTo.closed) await once(spokenTo, 'close');
    const taken = untilClosed(deaf);
    deaf.resume();
    expect((await taken).length).toBeLessThan(document.length * DOCUMENTS);
    for (const { inWork, waiting } of admission.state) expect([inWork, waiting]).toEqual([0, 0]);
    recordGuarantee('G-11', `${dripped.length + 4} slow connections`);
  });

  it('take nobody’s place meanwhile', async () => {
    const { url, server } = await smallService({ REQUEST_SECONDS: NEVER_MS / 1000 });
    let begun = 0;
    server.on('request', () => (begun += 1));
    const { drips, end } = dripping(url);
    await eventually(async () => expect(begun).toBe(drips.length));
    for (let turn = 0; turn < 20; turn++)
      expect((await platform.as(user, url).get('/api/user/balance')).status).toBe(200);
    expect(drips.filter(({ closed }) => closed)).toEqual([]);
    end();
    for (const socket of drips) socket.destroy();
  });
});
