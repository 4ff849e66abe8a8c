import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import { backup } from '../../src/operations/backup.js';
import { migrateDatabase } from '../../src/operations/migrate.js';
import type { TestUser } from '../fixtures/given.js';
import { DESTINATION, USER_WITHDRAWALS } from '../fixtures/withdrawals.js';
import { eventually } from '../harness/eventually.js';
import { FailoverCluster } from '../harness/failover-cluster.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica } from '../harness/replica.js';

// A primary with two standbys, of which one has to confirm each commit. The tests of writes suspend both.

const POOL = 5;
const FURTHER_WRITES = 4 * POOL;
/** The service gives up a connection that is silent for a second more than this, within which the first write has to reach COMMIT. */
const STATEMENT_MS = 4000;
/** The commits of all jobs wait while a test reads. */
const LARGE_POOL = 30;
const WITHDRAWAL = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
/** The sessions of the service whose commits wait for a standby. */
const WAITING = `
  select pid from pg_stat_activity
   where application_name like 'stablecoin-platform%' and wait_event = 'SyncRep'`;
const WAITING_REPLAYS = `${WAITING} and query like '%idempotency_result%'`;

describe('Without a standby that confirms commits,', () => {
  let cluster: FailoverCluster;
  let platform: TestPlatform;
  let user: TestUser;
  let primary: pg.Client;

  beforeAll(async () => {
    cluster = await FailoverCluster.start();
    platform = await startPlatform({
      settings: { DATABASE_URL: cluster.url, DATABASE_POOL_SIZE: String(LARGE_POOL), LOG_LEVEL: 'silent' },
    });
    user = await platform.given.user().withBalance('1000.00');
    await listedIds(); // publishes the values of the day
    primary = new pg.Client(cluster.primaryUrl);
    await primary.connect();
  });
  afterEach(() => cluster.thawStandbys());
  afterAll(async () => {
    cluster?.thawStandbys();
    await primary?.end();
    await platform?.stop();
    await cluster?.stop();
  });

  const withdraw = (key: string, at?: string) =>
    platform.as(user, at).post(USER_WITHDRAWALS, WITHDRAWAL, { headers: { 'idempotency-key': key } });
  /** Without the wait of `platform.as` for what follows from events, which is not written meanwhile. */
  const listedIds = async (at = platform.baseUrl): Promise<string[]> => {
    const headers = { authorization: `Bearer ${user.token}` };
    const { status, body } = await sendRequest(at + USER_WITHDRAWALS, { headers });
    expect(status).toBe(200);
    return body.data.requests.map(({ id }: { id: string }) => id);
  };
  /** Repeats the request until the service writes again. */
  const withdrawUntilAnswered = (key: string, at?: string) =>
    eventually(async () => {
      const reply = await withdraw(key, at);
      expect(reply.status).toBe(201);
      return reply;
    });

  it('a write whose wait is cancelled has an unknown outcome, and its response is not repeated before a standby has it', async () => {
    // This test uses the process with long time-outs: one with shorter ones soon begins no write while commits wait.
    const before = await listedIds();
    cluster.freezeStandbys();
    const key = randomUUID();
    const reply = withdraw(key);
    let hasEnded = false;
    void reply.finally(() => (hasEnded = true));
    // Other commits wait, too: those of jobs.
    await eventually(async () => {
      for (const { pid } of (await primary.query<{ pid: number }>(WAITING)).rows)
        await primary.query('select pg_cancel_backend($1)', [pid]);
      expect(hasEnded).toBe(true);
    });
    expect(await reply).toMatchObject({
      status: 503,
      body: { error: { details: { outcome: 'unknown' } } },
    });
    await eventually(async () => expect(await listedIds()).toHaveLength(before.length + 1)); // visible, but possibly lost
    const repetition = withdraw(key);
    const first = await Promise.race([
      repetition.then(() => 'answered'),
      eventually(async () => expect((await primary.query(WAITING_REPLAYS)).rowCount).toBe(1)).then(
        () => 'waits',
      ),
    ]);
    expect(first).toBe('waits');

    cluster.thawStandbys();
    const { status, data, headers } = await repetition;
    expect([status, headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await listedIds()).toContain(data.id);
  });

  it('the outcome of a write is unknown, no further write begins, and reads are answered', async () => {
    const at = await startReplica(platform, {
      DATABASE_STATEMENT_MS: STATEMENT_MS,
      DATABASE_POOL_SIZE: POOL,
    });
    const before = await listedIds(at);
    cluster.freezeStandbys();
    const key = randomUUID();
    const silent = await withdraw(key, at);
    expect(silent).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(silent.body.error).toMatchObject({
      details: { outcome: 'unknown' },
      message: expect.stringContaining('no standby has confirmed it'),
    });

    const further = await Promise.all(
      Array.from({ length: FURTHER_WRITES }, () => withdraw(randomUUID(), at)),
    );
    for (const { status, headers, body } of further) {
      expect([status, body.error.details]).toEqual([503, undefined]); // refused, so that the outcome is known
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await primary.query(WAITING)).rowCount).toBeLessThan(FURTHER_WRITES);
    expect(await listedIds(at)).toEqual(before); // a commit that waits is not visible

    cluster.thawStandbys();
    const repeated = await withdrawUntilAnswered(key, at);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(new Set(await listedIds(at))).toEqual(new Set([repeated.data.id, ...before]));
  });

  it('backup and migrations reach the primary through the address with all hosts', async () => {
    const file = new PassThrough();
    const [content] = await Promise.all([buffer(file), backup(cluster.url, file)]);
    expect(content.length).toBeGreaterThan(0);
    const lines: string[] = [];
    await migrateDatabase({ databaseUrl: cluster.url, tokenHashKey: platform.env.TOKEN_HASH_KEY }, (line) =>
      lines.push(line),
    );
    expect(lines).toEqual(['database: nothing to migrate']);
  });
});
