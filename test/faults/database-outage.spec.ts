import pg from 'pg';
import { Money } from '../../src/common/money.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest, type Reply } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica } from '../harness/replica.js';
import type { TestUser } from '../fixtures/given.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

// Locks of other transactions, an exhausted pool and broken connections: the API answers 503 and recovers without a restart.
// A lock or an outage lasts until the answers have arrived, so that only the time-out that a test shortens ends a wait.

const POOL = 3;
const UNREACHABLE_TIMEOUT_MS = 2_000_000_000; // longer than a test; setTimeout accepts at most 2^31 - 1 ms
const NO_TIMEOUTS = {
  DATABASE_LOCK_MS: UNREACHABLE_TIMEOUT_MS,
  DATABASE_POOL_WAIT_MS: UNREACHABLE_TIMEOUT_MS,
  DATABASE_STATEMENT_MS: UNREACHABLE_TIMEOUT_MS,
  REQUEST_WAIT_MS: UNREACHABLE_TIMEOUT_MS,
};
const SHORT_MS = 500;

let database: TestDatabase;
let proxy: TcpProxy;
let platform: TestPlatform;
let user: TestUser;
let holder: pg.Client;
let superuser: pg.Client; // connected to another database; terminates the service's connections
let databaseName: string;

beforeAll(async () => {
  database = await freshDatabase();
  proxy = await TcpProxy.startFor(database.url);
  const settings = {
    DATABASE_URL: proxy.url,
    DATABASE_POOL_SIZE: String(POOL),
    LOG_LEVEL: 'silent',
    LOG_SEAL_SECONDS: '3600', // so that the COMMIT whose answer is dropped is that of a request, not of a job
  };
  platform = await startPlatform({ settings });
  user = await platform.given.user().withBalance('1000.00');
  const url = new URL(database.url);
  databaseName = url.pathname.slice(1);
  holder = new pg.Client(url.toString());
  url.pathname = '/postgres';
  superuser = new pg.Client(url.toString());
  await Promise.all([holder.connect(), superuser.connect()]);
});
afterAll(async () => {
  await Promise.all([holder.end(), superuser.end()]);
  await platform.stop();
  await proxy.close();
  await database.drop();
});

const WITHDRAWAL = { amount: '10.00', currency: 'USDC', toAddress: `0x${'a'.repeat(40)}` };
const withdraw = (baseUrl?: string) => platform.as(user, baseUrl).post('/api/user/withdrawals', WITHDRAWAL);
const withdrawWithKey = (key: string) =>
  platform
    .as(user)
    .call('POST', '/api/user/withdrawals', WITHDRAWAL, { headers: { 'idempotency-key': key } });
const livenessStatus = async (baseUrl?: string) =>
  (await platform.as(null, baseUrl).get('/api/health/live')).status;

/** Starts a second instance with these time-outs and returns its URL; all other time-outs are longer than a test. */
const startWithTimeouts = (timeouts: Partial<typeof NO_TIMEOUTS>) =>
  startReplica(platform, { ...NO_TIMEOUTS, ...timeouts });

/** Locks the user's available balance; returns the function that releases it. */
async function holdBalance(): Promise<() => Promise<unknown>> {
  await holder.query('begin');
  await holder.query(
    "select from ledger_account where owner_id = $1 and kind = 'user.available' for update",
    [user.id],
  );
  return () => holder.query('rollback');
}

const waitForLockWaits = (count: number) =>
  eventually(async () => {
    const { rowCount } = await superuser.query(
      "select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'",
      [databaseName],
    );
    expect(rowCount).toBe(count);
  });

async function cutConnections(): Promise<void> {
  await superuser.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'stablecoin-platform'",
    [databaseName],
  );
}

function expectUnavailable(reply: Reply): void {
  expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Sends withdrawals until the dropped answer is that of their COMMIT, and not of one in the background. Returns their number. */
async function loseCommitAnswer(
  send: (attempt: number) => Promise<Reply>,
): Promise<{ lost: Reply; attempts: number }> {
  for (let attempts = 1; attempts <= 20; attempts++) {
    proxy.commitAnswersToDrop = 1;
    const lost = await send(attempts);
    if (lost.status !== 201) return { lost, attempts };
  }
  throw new Error('The answer to the COMMIT of a request was never dropped.');
}

it('the API answers that the outcome is unknown if the connection breaks during COMMIT; the Idempotency-Key returns the outcome', async () => {
  const reserved = async () => Money.of((await platform.as(user).get('/api/user/balance')).data.reserved);
  const before = await reserved();
  const keyOf = (attempt: number) => `lost-at-the-last-moment-${attempt}`;
  const beforePlus = (withdrawals: number) => before.plus(Money.of(String(10 * withdrawals)));
  const first = await loseCommitAnswer((attempt) => withdrawWithKey(keyOf(attempt)));
  expect(first.lost).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(first.lost.body.error.details).toEqual({ outcome: 'unknown' });
  expect(first.lost.headers.get('retry-after')).toBeNull();
  expect(await reserved()).toEqual(beforePlus(first.attempts)); // the withdrawal was committed
  const retry = await withdrawWithKey(keyOf(first.attempts));
  expect([retry.status, retry.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  const second = await loseCommitAnswer(() => withdraw());
  expect(second.lost.body.error.details).toEqual({ outcome: 'unknown' });
  expect(await reserved()).toEqual(beforePlus(first.attempts + second.attempts));
});

it('the API answers 503 when a lock is held too long, and serves requests after its release', async () => {
  const baseUrl = await startWithTimeouts({ DATABASE_LOCK_MS: SHORT_MS });
  const before = await platform.ledgerState();
  const release = await holdBalance();
  expectUnavailable(await withdraw(baseUrl));
  await release();
  expect(await platform.ledgerState()).toEqual(before);
  expect((await withdraw(baseUrl)).status).toBe(201);
});

/** Repeats the request while the answer is 503: the pool may lack connections, or contain broken ones. */
async function withdrawUntilAccepted(baseUrl?: string): Promise<Reply> {
  for (;;) {
    const reply = await withdraw(baseUrl);
    if (reply.status !== 503) return reply;
  }
}

it('the API answers 503 to further requests while statements waiting for one lock occupy every connection [SEC-129]', async () => {
  const baseUrl = await startWithTimeouts({ DATABASE_POOL_WAIT_MS: SHORT_MS, REQUEST_WAIT_MS: SHORT_MS });
  const release = await holdBalance();
  const blocked = Array.from({ length: POOL }, () => withdrawUntilAccepted(baseUrl));
  await waitForLockWaits(POOL);
  for (const reply of await Promise.all(Array.from({ length: POOL * 3 }, () => withdraw(baseUrl))))
    expectUnavailable(reply);
  await waitForLockWaits(POOL); // they still wait
  await release();
  for (const { status } of await Promise.all(blocked)) expect(status).toBe(201);
});

it('the liveness probe answers 200 while statements waiting for one lock occupy every connection', async () => {
  const baseUrl = await startWithTimeouts({});
  const release = await holdBalance();
  const blocked = Array.from({ length: POOL }, () => withdraw(baseUrl));
  await waitForLockWaits(POOL);
  expect(await livenessStatus(baseUrl)).toBe(200);
  await release();
  for (const { status } of await Promise.all(blocked)) expect(status).toBe(201);
});

it('the API answers 503 to running requests when all database connections break, then recovers without a restart', async () => {
  const baseUrl = await startWithTimeouts({});
  const before = await platform.ledgerState();
  const release = await holdBalance();
  const pending = [withdraw(baseUrl), withdraw(baseUrl)];
  await waitForLockWaits(2);
  await cutConnections();
  for (const reply of await Promise.all(pending)) expectUnavailable(reply);
  await release();
  // A pool may hand out a connection before it has read that the server closed it.
  await eventually(async () => expect(await platform.ledgerState()).toEqual(before));
  expect((await withdrawUntilAccepted(baseUrl)).status).toBe(201);
  await eventually(async () => expect((await sendRequest(`${baseUrl}/api/health/ready`)).status).toBe(200));
});

it('the API answers 503 while the database is unreachable, then recovers without a restart [SEC-142]', async () => {
  await proxy.close();
  const reply = await withdraw();
  const ready = await sendRequest(`${platform.baseUrl}/api/health/ready`);
  const liveMeanwhile = await livenessStatus();
  await proxy.open();
  expectUnavailable(reply);
  expect([ready.status, liveMeanwhile]).toEqual([503, 200]);
  expect((await withdrawUntilAccepted()).status).toBe(201);
});

it('the API answers 503 while the network drops all packets to the database, then recovers without a restart', async () => {
  const baseUrl = await startWithTimeouts({
    DATABASE_STATEMENT_MS: SHORT_MS, // the service closes a silent connection a second after this time
    DATABASE_POOL_WAIT_MS: SHORT_MS,
    REQUEST_WAIT_MS: SHORT_MS,
  });
  await withdrawUntilAccepted(baseUrl); // opens a connection
  proxy.stall();
  const answers = await Promise.all(Array.from({ length: POOL * 2 }, () => withdraw(baseUrl)));
  const liveMeanwhile = await livenessStatus(baseUrl);
  await proxy.close();
  await proxy.open();
  for (const { status, code } of answers) expect([status, code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(liveMeanwhile).toBe(200);
  expect((await withdrawUntilAccepted(baseUrl)).status).toBe(201);
});

it('the API answers writes with 503 while the server accepts none, then recovers without a restart', async () => {
  await superuser.query(`alter database ${databaseName} set default_transaction_read_only = on`);
  try {
    await cutConnections(); // the setting is valid in new connections
    const readBalance = async () => (await platform.as(user).get('/api/user/balance')).status;
    await eventually(async () => expect(await readBalance()).toBe(200));
    expectUnavailable(await withdraw());
    expect(await readBalance()).toBe(200);
  } finally {
    await superuser.query(`alter database ${databaseName} reset default_transaction_read_only`);
  }
  expect((await withdrawUntilAccepted()).status).toBe(201);
});
