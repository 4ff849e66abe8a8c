import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { ApiProcess } from '../harness/api-process.js';
import { freshDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { refusedUpgrade } from '../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { SystemServer } from '../harness/system-programs.js';
import { serveMoneyPath } from '../fixtures/money-path.js';
import { databaseWithOwnSchema, type DatabaseOfARole } from '../fixtures/own-schema.js';
import { setBadSettings } from '../fixtures/session-settings.js';
import { liveSteps } from '../fixtures/live.js';
import { DESTINATION, USER_WITHDRAWALS } from '../fixtures/withdrawals.js';

// PgBouncer in transaction mode may run each transaction on another PostgreSQL connection, so that the service cannot use state
// of a database session: advisory locks, settings, notifications.

const SERVER_CONNECTIONS = 6;

describe('Two API processes behind a PgBouncer in transaction mode', () => {
  let platform: TestPlatform;
  let bouncer: SystemServer;
  let processes: [ApiProcess, ApiProcess];

  const pooledUrl = (databaseUrl: string, { port } = bouncer) => {
    const url = new URL(databaseUrl);
    url.port = String(port);
    return url.toString();
  };
  const databaseUrl = () => platform.env.DATABASE_URL as string;

  /**
   * The first start stores the settings with the role. Sessions that PgBouncer has opened before keep the settings of the database, so
   * PgBouncer starts anew.
   */
  async function storeRoleSettings(env: Record<string, string>): Promise<void> {
    const first = await ApiProcess.launch(env);
    await first.waitUntilReady();
    await first.kill();
    await bouncer.stop();
    await bouncer.start();
  }

  beforeAll(async () => {
    platform = await startPlatform({ at: new Date().toISOString() });
    await setBadSettings(databaseUrl());
    bouncer = await SystemServer.pgbouncer(databaseUrl(), SERVER_CONNECTIONS);
    const env = {
      ...platform.env,
      DATABASE_URL: pooledUrl(databaseUrl()),
      DATABASE_POOLER: 'transaction',
    };
    await storeRoleSettings(env);
    processes = [await ApiProcess.launch(env), await ApiProcess.launch(env)];
    for (const process of processes) await process.waitUntilReady();
  });
  afterAll(async () => {
    for (const process of processes ?? []) await process.kill();
    await bouncer?.remove();
    await platform?.stop();
  });

  /** The address of the first process for even numbers, of the second for odd ones. */
  const urlOf = (turn: number) => (processes[turn % 2] as ApiProcess).url;

  it('let a user invest, close, withdraw and read a statement, and an admin pay', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    const admin = await platform.given.admin();
    const investment = await platform
      .as(user, urlOf(0))
      .post('/api/user/investments', { strategyId: 'balanced-10', amount: '300.00' });
    await platform.as(user, urlOf(1)).call('DELETE', `/api/user/investments/${investment.data.id}`);
    const body = { amount: '200.00', currency: 'USDC', toAddress: DESTINATION };
    const { data: withdrawal } = await platform.as(user, urlOf(0)).post('/api/user/withdrawals', body);
    const path = `/api/admin/withdrawals/${withdrawal.id}`;
    const taken = await platform.as(admin, urlOf(1)).post(`${path}/take`);
    expect(taken).toMatchObject({ data: { status: 'processing' } });
    const payment = await platform
      .as(admin, urlOf(0))
      .post(`${path}/complete`, { txHash: `0x${'ab'.repeat(32)}` });

    expect(payment).toMatchObject({ data: { status: 'completed' } });
    const statement = await platform.as(user, urlOf(1)).get('/api/user/statement');
    expect(statement.data.closing.available).toBe('800.00'); // 1000.00 − 300.00 + 300.00 − 200.00
  });

  it('never overspend a balance when both get concurrent requests', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const invest = (turn: number) =>
      platform
        .as(user, urlOf(turn))
        .post('/api/user/investments', { strategyId: 'balanced-10', amount: '30.00' });

    const replies = await Promise.all(Array.from({ length: 20 }, (_, turn) => invest(turn)));

    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3); // 3 × 30.00 fit into 100.00
    expect(replies.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
    expect((await platform.as(user, urlOf(0)).get('/api/user/balance')).data.available).toBe('10.00');
  });

  it('carry out concurrent requests with the same Idempotency-Key once', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const headers = { 'idempotency-key': randomUUID() };
    const body = { strategyId: 'balanced-10', amount: '10.00' };
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        platform.as(user, urlOf(turn)).call('POST', '/api/user/investments', body, { headers }),
      ),
    );
    expect(new Set(replies.filter(({ status }) => status === 201).map(({ data }) => data.id)).size).toBe(1);
    expect((await platform.as(user, urlOf(0)).get('/api/user/balance')).data.available).toBe('90.00');
  });

  it('refuse a token right after the sign-out at the other process, because without notifications they cache no sessions', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const user = await platform.given.user();
      expect((await platform.as(user, urlOf(turn)).get('/api/user/profile')).status).toBe(200);
      await platform.as(user, urlOf(turn + 1)).post('/api/auth/logout');
      expect((await platform.as(user, urlOf(turn)).get('/api/user/profile')).code).toBe('TOKEN_INVALID');
    }
  });

  it('refuse live connections, because their database sessions cannot hold a lock', async () => {
    const { token } = await platform.given.user();
    const refusal = await refusedUpgrade(`${urlOf(0)}/api/live`, { authorization: `Bearer ${token}` });
    expect([refusal.status, refusal.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const { data } = await platform.as(null, urlOf(0)).get('/api/blockchain/websocket/status');
    expect(data).toMatchObject({ enabled: false, status: 'unavailable' });
  });

  describe('with a direct connection to PostgreSQL', () => {
    let direct: [ApiProcess, ApiProcess];

    beforeAll(async () => {
      const env = {
        ...platform.env,
        DATABASE_URL: pooledUrl(databaseUrl()),
        DATABASE_POOLER: 'transaction',
        DATABASE_NOTICES_URL: databaseUrl(),
      };
      direct = [await ApiProcess.launch(env), await ApiProcess.launch(env)];
      for (const process of direct) await process.waitUntilReady();
    });
    afterAll(async () => {
      for (const process of direct ?? []) await process.kill();
    });

    it('refuse a token soon after its sign-out at a process without a direct connection, which notifies them', async () => {
      const [{ url }] = direct;
      const user = await platform.given.user();
      expect((await platform.as(user, url).get('/api/user/profile')).status).toBe(200);
      await platform.as(user, urlOf(0)).post('/api/auth/logout');
      await eventually(async () =>
        expect((await platform.as(user, url).get('/api/user/profile')).code).toBe('TOKEN_INVALID'),
      );
    });

    it('deliver each other’s live events and those of processes without a direct connection, and end connections with their session', async () => {
      const steps = liveSteps(platform);
      const user = await platform.given.user().withBalance('100.00');
      const clients = [
        await steps.connect({ token: user.token }, direct[0].url),
        await steps.connect({ token: user.token }, direct[1].url),
      ];
      const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
      for (const url of [direct[0].url, direct[1].url, urlOf(0)])
        expect((await platform.as(user, url).post(USER_WITHDRAWALS, body)).status).toBe(201);
      // Two events of each of three withdrawals, and two notifications, of which the second one counts the third withdrawal: 3 × 2 + 2 = 8.
      for (const client of clients) await client.received(8);
      expect(clients[0]?.texts.slice(1)).toEqual(clients[1]?.texts.slice(1));
      await platform.as(user, urlOf(1)).post('/api/auth/logout');
      for (const client of clients) expect(await client.closedWith()).toBe(4401);
    });
  });

  it('store the time-outs and the settings of sessions in the database, so that every connection of the pooler has them', async () => {
    const pooled = new DataSource({ type: 'postgres', url: pooledUrl(databaseUrl()) });
    await pooled.initialize();
    const rows = await pooled.query<{ setting: string }[]>(
      `select unnest(setconfig) as setting from pg_db_role_setting
        where setdatabase = (select oid from pg_database where datname = current_database()) and setrole <> 0`,
    );
    await pooled.destroy();
    expect(rows.map(({ setting }) => setting)).toEqual(
      expect.arrayContaining([
        `idle_in_transaction_session_timeout=${platform.env.DATABASE_STATEMENT_MS}`,
        `lock_timeout=${platform.env.DATABASE_LOCK_MS}`,
        `statement_timeout=${platform.env.DATABASE_STATEMENT_MS}`,
        'DateStyle=ISO, MDY',
        'search_path=public',
      ]),
    );
  });

  it('migrate an empty database once when they start concurrently', async () => {
    const database = await freshDatabase('template0');
    const env = {
      ...platform.env,
      DATABASE_URL: pooledUrl(database.url),
      DATABASE_POOLER: 'transaction',
      LOG_LEVEL: 'info',
    };
    const newProcesses = [await ApiProcess.launch(env), await ApiProcess.launch(env)];
    for (const process of newProcesses) await process.waitUntilReady();
    const migrationCounts = newProcesses.map(
      ({ output }) => output.match(/migration\(s\) done/g)?.length ?? 0,
    );
    for (const process of newProcesses) await process.kill();
    await database.drop();
    expect(migrationCounts.sort()).toEqual([0, 1]);
  });

  describe('whose role may create tables in a schema of its own only', () => {
    let own: DatabaseOfARole;
    let ownBouncer: SystemServer;
    let ownPlatform: TestPlatform;
    const launched: ApiProcess[] = [];

    beforeAll(async () => {
      own = await databaseWithOwnSchema('Own-schema');
      ownBouncer = await SystemServer.pgbouncer(own.url, SERVER_CONNECTIONS);
    });
    afterAll(async () => {
      for (const process of launched) await process.kill();
      await ownPlatform?.stop();
      await ownBouncer?.remove();
      await own?.drop();
    });

    async function launch({ env }: Pick<TestPlatform, 'env'>): Promise<ApiProcess> {
      const DATABASE_URL = pooledUrl(own.url, ownBouncer);
      const process = await ApiProcess.launch({ ...env, DATABASE_URL, DATABASE_POOLER: 'transaction' });
      launched.push(process);
      await process.waitUntilReady();
      return process;
    }

    it('create the tables there, and serve a deposit, an investment, a withdrawal and a statement', async () => {
      await (await launch(platform)).kill(); // has created the tables
      ownPlatform = await startPlatform({
        at: new Date().toISOString(),
        settings: { DATABASE_URL: own.url },
      });
      const { url } = await launch(ownPlatform);
      await serveMoneyPath(ownPlatform, { url });
      const pooled = new DataSource({ type: 'postgres', url: pooledUrl(own.url, ownBouncer) });
      await pooled.initialize();
      const [found] = await pooled.query<object[]>(
        `select current_schema() as schema, 'strategy_nav'::regclass::text as table,
                (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace) as others`,
      );
      await pooled.destroy();
      expect(found).toEqual({ schema: own.schema, table: 'strategy_nav', others: 0 });
    });
  });

  it('log which setting to change if they are not configured for a pooler', async () => {
    const process = await ApiProcess.launch({ ...platform.env, DATABASE_URL: pooledUrl(databaseUrl()) });
    expect(await process.waitForExit()).toBe(1);
    expect(process.output).toContain('set DATABASE_POOLER=transaction');
  });
});
