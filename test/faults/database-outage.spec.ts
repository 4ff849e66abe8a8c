import pg from 'pg';
import { Money } from '../../src/common/money.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest, type Reply } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica } from '../harness/replica.js';
import type { TestUser } from '../fixtures/given.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

// A held lock, an exhausted pool, a database whose connections are cut: callers are told, the process lives on, and it
// recovers by itself. What ends a wait is the one setting that a test makes short, for nothing else happens in a test:
// locks are held, and the database is silent, until the answers are there.

const POOL = 3;
const NEVER_MS = 2_000_000_000; // longer than a test may take
const PATIENT = {
  DATABASE_LOCK_MS: NEVER_MS,
  DATABASE_POOL_WAIT_MS: NEVER_MS,
  DATABASE_STATEMENT_MS: NEVER_MS,
  REQUEST_WAIT_MS: NEVER_MS,
};
const SHORT_MS = 500;

let books: TestDatabase;
let door: TcpProxy; // between the service and its database
let platform: TestPlatform;
let user: TestUser;
let holder: pg.Client; // holds locks
let watcher: pg.Client; // looks on from another database, and cuts connections
let database: string;

beforeAll(async () => {
  books = await freshDatabase();
  door = await TcpProxy.startFor(books.url);
  const settings = { DATABASE_URL: door.url, DATABASE_POOL_SIZE: String(POOL), LOG_LEVEL: 'silent' };
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
  await door.close();
  await books.drop();
});

const WISH = { amount: '10.00', currency: 'USDC', toAddress: `0x${'a'.repeat(40)}` };
const withdraw = (at?: string) => platform.as(user, at).post('/api/user/withdrawals', WISH);
const withdrawOnce = (key: string) =>
  platform.as(user).call('POST', '/api/user/withdrawals', WISH, { headers: { 'idempotency-key': key } });
const live = async (at?: string) => (await platform.as(null, at).get('/api/health/live')).status;

/** The service with these waits; all others are too long to end in a test. */
const waiting = (waits: Partial<typeof PATIENT>) => startReplica(platform, { ...PATIENT, ...waits });

/** Locks the user's free balance from outside until it is let go. */
async function holdBalance(): Promise<() => Promise<unknown>> {
  await holder.query('begin');
  await holder.query(
    "select from ledger_account where owner_id = $1 and kind = 'user.available' for update",
    [user.id],
  );
  return () => holder.query('rollback');
}

const waitingForLocks = (count: number) =>
  eventually(async () => {
    const { rowCount } = await watcher.query(
      "select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'",
      [database],
    );
    expect(rowCount).toBe(count);
  });

/** Cuts every connection of the service. */
async function cutConnections(): Promise<void> {
  await watcher.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'stablecoin-platform'",
    [database],
  );
}

function expectUnavailable(reply: Reply): void {
  expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
}

// First, while there is one process: another one's timers commit as well.
it('says that nobody knows when the database is lost while it commits, and the key tells', async () => {
  const reserved = async () => Money.of((await platform.as(user).get('/api/user/balance')).data.reserved);
  const [before, key] = [await reserved(), 'lost-at-the-last-moment'];
  const more = (amount: string) => before.plus(Money.of(amount));
  door.commitAnswersToDrop = 1;
  const lost = await withdrawOnce(key);
  expect(lost).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(lost.body.error.details).toEqual({ outcome: 'unknown' });
  expect(lost.headers.get('retry-after')).toBeNull();
  expect(await reserved()).toEqual(more('10')); // it was done
  const again = await withdrawOnce(key);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  door.commitAnswersToDrop = 1;
  expect((await withdraw()).body.error.details).toEqual({ outcome: 'unknown' });
  expect(await reserved()).toEqual(more('20'));
});

it('answers 503 when a lock is held too long, and goes on when it is let go', async () => {
  const at = await waiting({ DATABASE_LOCK_MS: SHORT_MS });
  const before = await platform.ledgerState();
  const letGo = await holdBalance();
  expectUnavailable(await withdraw(at));
  await letGo();
  expect(await platform.ledgerState()).toEqual(before);
  expect((await withdraw(at)).status).toBe(201);
});

/** Once more while it is refused: a slow machine may be short of connections before the test takes them all. */
async function withdrawInTheEnd(at: string): Promise<Reply> {
  for (;;) {
    const reply = await withdraw(at);
    if (reply.status !== 503) return reply;
  }
}

it('answers 503 to all others while one lock has taken every connection [SEC-129]', async () => {
  const at = await waiting({ DATABASE_POOL_WAIT_MS: SHORT_MS, REQUEST_WAIT_MS: SHORT_MS });
  const letGo = await holdBalance();
  const held = Array.from({ length: POOL }, () => withdrawInTheEnd(at));
  await waitingForLocks(POOL);
  for (const reply of await Promise.all(Array.from({ length: POOL * 3 }, () => withdraw(at))))
    expectUnavailable(reply);
  await waitingForLocks(POOL); // they are at it still
  await letGo();
  for (const { status } of await Promise.all(held)) expect(status).toBe(201);
});

it('is live while one lock has taken every connection, however long connections are waited for', async () => {
  const at = await waiting({});
  const letGo = await holdBalance();
  const held = Array.from({ length: POOL }, () => withdraw(at));
  await waitingForLocks(POOL);
  expect(await live(at)).toBe(200);
  await letGo();
  for (const { status } of await Promise.all(held)) expect(status).toBe(201);
});

it('answers 503 to what was running when the connections are cut, and then recovers by itself', async () => {
  const at = await waiting({});
  const before = await platform.ledgerState();
  const letGo = await holdBalance();
  const asked = [withdraw(at), withdraw(at)];
  await waitingForLocks(2);
  await cutConnections();
  for (const reply of await Promise.all(asked)) expectUnavailable(reply);
  await letGo();
  expect(await platform.ledgerState()).toEqual(before);
  expect((await withdraw(at)).status).toBe(201);
  expect((await sendRequest(`${at}/api/health/ready`)).status).toBe(200);
});

it('answers 503 while the database is away, and needs no restart afterwards [SEC-142]', async () => {
  await door.close();
  const away = await withdraw();
  const ready = await sendRequest(`${platform.baseUrl}/api/health/ready`);
  const liveMeanwhile = await live();
  await door.open();
  expectUnavailable(away);
  expect([ready.status, liveMeanwhile]).toEqual([503, 200]);
  expect((await withdraw()).status).toBe(201);
});

it('gives up on a database that the network has swallowed, and needs no restart afterwards', async () => {
  const at = await waiting({
    DATABASE_STATEMENT_MS: SHORT_MS, // a second later the connection is given up
    DATABASE_POOL_WAIT_MS: SHORT_MS,
    REQUEST_WAIT_MS: SHORT_MS,
  });
  await withdrawInTheEnd(at); // a connection is open
  door.stall();
  const answers = await Promise.all(Array.from({ length: POOL * 2 }, () => withdraw(at)));
  const liveMeanwhile = await live(at);
  await door.close();
  await door.open();
  for (const { status, code } of answers) expect([status, code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(liveMeanwhile).toBe(200);
  expect((await withdrawInTheEnd(at)).status).toBe(201);
});
