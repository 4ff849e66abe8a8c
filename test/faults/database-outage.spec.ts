import pg from 'pg';
import { Money } from '../../src/kernel/money.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { SHORT_WAITS, startPlatform, type TestPlatform } from '../harness/platform.js';
import type { TestUser } from '../fixtures/given.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

// A held lock, an exhausted pool, a database whose connections are cut: callers are told within two seconds, the
// process lives on, and it recovers by itself.

const POOL = 3;
const ANSWERED_WITHIN_MS = 2000;
const LIVE_WITHIN_MS = 250; // median; it takes one or two, where a wait for the database would take a second

let books: TestDatabase;
let door: TcpProxy; // between the service and its database
let platform: TestPlatform;
let user: TestUser;
let holder: pg.Client; // holds locks
let watcher: pg.Client; // looks on from another database, and cuts connections
let database: string;

beforeAll(async () => {
  books = await freshDatabase();
  door = await TcpProxy.before(books.url);
  const settings = {
    ...SHORT_WAITS,
    DATABASE_URL: door.url,
    DATABASE_POOL_SIZE: String(POOL),
    DATABASE_STATEMENT_MS: '1500',
    LOG_LEVEL: 'silent',
  };
  platform = await startPlatform({ settings });
  user = await platform.given.user().withBalance('1000.00');
  const url = new URL(books.url);
  database = url.pathname.slice(1);
  holder = new pg.Client(url.toString());
  url.pathname = '/postgres';
  watcher = new pg.Client(url.toString());
  await Promise.all([holder.connect(), watcher.connect()]);
});
afterAll(async () => {
  await Promise.all([holder.end(), watcher.end()]);
  await platform.stop();
  await door.shut();
  await books.drop();
});

const WISH = { amount: '10.00', currency: 'USDC', toAddress: `0x${'a'.repeat(40)}` };
const withdraw = () => platform.as(user).post('/api/user/withdrawals', WISH);
const withdrawOnce = (key: string) =>
  platform.as(user).call('POST', '/api/user/withdrawals', WISH, { headers: { 'idempotency-key': key } });

async function timed<T>(work: () => Promise<T>): Promise<{ reply: T; ms: number }> {
  const began = performance.now();
  const reply = await work();
  return { reply, ms: performance.now() - began };
}

/** Locks the user's free balance from outside until it is let go. */
async function holdBalance(): Promise<() => Promise<unknown>> {
  await holder.query('begin');
  await holder.query(
    "select from ledger_account where owner_id = $1 and kind = 'user.available' for update",
    [user.id],
  );
  return () => holder.query('rollback');
}

async function waitingForLocks(count: number): Promise<void> {
  for (;;) {
    const { rowCount } = await watcher.query(
      "select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'",
      [database],
    );
    if ((rowCount ?? 0) >= count) return;
  }
}

/** Cuts every connection of the service. */
async function cutConnections(): Promise<void> {
  await watcher.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'stablecoin-platform'",
    [database],
  );
}

function expectUnavailable({ reply, ms }: { reply: Awaited<ReturnType<typeof withdraw>>; ms: number }): void {
  expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(ms).toBeLessThan(ANSWERED_WITHIN_MS);
}

async function medianLiveMs(count: number): Promise<number> {
  const times = [];
  for (let i = 0; i < count; i++) {
    const { reply, ms } = await timed(() => platform.as(null).get('/api/health/live'));
    expect(reply.status).toBe(200);
    times.push(ms);
  }
  return times.sort((a, b) => a - b)[Math.floor(count / 2)] as number;
}

it('answers 503 when a lock is held too long, and goes on when it is let go', async () => {
  const before = await platform.ledgerState();
  const letGo = await holdBalance();
  expectUnavailable(await timed(withdraw));
  await letGo();
  expect(await platform.ledgerState()).toEqual(before);
  expect((await withdraw()).status).toBe(201);
});

it('answers 503 in time to everybody when one lock has taken every connection; live stays fast [SEC-129]', async () => {
  const letGo = await holdBalance();
  const asked = Array.from({ length: POOL * 3 }, () => timed(withdraw));
  await waitingForLocks(POOL);
  const live = await medianLiveMs(20);
  const answers = await Promise.all(asked);
  await letGo();
  expect(live).toBeLessThan(LIVE_WITHIN_MS);
  for (const answer of answers) expectUnavailable(answer);
  expect((await withdraw()).status).toBe(201);
});

it('answers 503 to what was running when the connections are cut, and then recovers by itself', async () => {
  const before = await platform.ledgerState();
  const letGo = await holdBalance();
  const asked = [timed(withdraw), timed(withdraw)];
  await waitingForLocks(2);
  await cutConnections();
  for (const answer of await Promise.all(asked)) expectUnavailable(answer);
  await letGo();
  expect(await platform.ledgerState()).toEqual(before);
  expect((await withdraw()).status).toBe(201);
  expect((await fetch(`${platform.baseUrl}/api/health/ready`)).status).toBe(200);
});

it('says that nobody knows when the database is lost while it commits, and the key tells', async () => {
  const reserved = async () => Money.of((await platform.as(user).get('/api/user/balance')).data.reserved);
  const [before, key] = [await reserved(), 'lost-at-the-last-moment'];
  const more = (amount: string) => before.plus(Money.of(amount));
  door.commitsToLose = 1;
  const lost = await withdrawOnce(key);
  expect(lost).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(lost.body.error.details).toEqual({ outcome: 'unknown' });
  expect(lost.headers.get('retry-after')).toBeNull();
  expect(await reserved()).toEqual(more('10')); // it was done
  const again = await withdrawOnce(key);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  door.commitsToLose = 1;
  expect((await withdraw()).body.error.details).toEqual({ outcome: 'unknown' });
  expect(await reserved()).toEqual(more('20'));
});

it('answers 503 while the database is away, and needs no restart afterwards [SEC-142]', async () => {
  await door.shut();
  const away = await timed(withdraw);
  const ready = await fetch(`${platform.baseUrl}/api/health/ready`);
  const live = await medianLiveMs(10);
  await door.open();
  expectUnavailable(away);
  expect(ready.status).toBe(503);
  expect(live).toBeLessThan(LIVE_WITHIN_MS);
  expect((await withdraw()).status).toBe(201);
});

it('gives up on a database that the network has swallowed, and needs no restart afterwards', async () => {
  await withdraw(); // a connection is open
  door.stall();
  const answers = await Promise.all(Array.from({ length: POOL * 2 }, () => timed(withdraw)));
  expect((await fetch(`${platform.baseUrl}/api/health/live`)).status).toBe(200);
  await door.shut();
  await door.open();
  for (const { reply, ms } of answers) {
    expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(ms).toBeLessThan(1500 + 1000 + ANSWERED_WITHIN_MS); // statement, silence, and what others had to wait for
  }
  expect((await withdraw()).status).toBe(201);
});
