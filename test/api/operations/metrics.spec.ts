import pg from 'pg';
import { DAY_MS } from '../../../src/common/durations.js';
import { AppConfig } from '../../../src/config/app-config.js';
import { RouteAudit } from '../../../src/http/auth/route-audit.js';
import { IntegrityService } from '../../../src/modules/assurance/integrity/integrity.service.js';
import { NavsService } from '../../../src/modules/investing/strategies/navs.service.js';
import { freshDatabase, type TestDatabase } from '../../harness/database.js';
import { eventually } from '../../harness/eventually.js';
import { sendRequest } from '../../harness/http-client.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { queriesDuring } from '../../harness/queries.js';
import { skipTime, freezeTime } from '../../harness/skip-time.js';
import { startReplica } from '../../harness/replica.js';
import { TcpProxy } from '../../harness/tcp-proxy.js';
import { WRONG_SEAL } from '../../fixtures/sealed-rows.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';

const CACHE_MS = 5000; // figures of the database are cached for five seconds
const TOKEN = 'sandbox-metrics-token';

let database: TestDatabase;
let proxy: TcpProxy; // between the service and its database
let platform: TestPlatform;

beforeAll(async () => {
  database = await freshDatabase();
  proxy = await TcpProxy.startFor(database.url);
  platform = await startPlatform({ settings: { FOUR_EYES: 'off', DATABASE_URL: proxy.url } });
});
afterAll(async () => {
  await platform?.stop();
  await proxy?.close();
  await database?.drop();
});

const page = () => MetricsPage.fetch(platform.baseUrl);

/** The metrics with current figures of the database. */
async function freshPage(): Promise<MetricsPage> {
  skipTime(CACHE_MS);
  return page();
}

describe('GET /metrics', () => {
  it('returns plain text outside the envelope, with the metrics of the process', async () => {
    const { headers, text } = await sendRequest(`${platform.baseUrl}/metrics`);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.get('x-ratelimit-limit')).toBeNull();
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds', '\ndatabase_up 1\n'])
      expect(text).toContain(name);
  });

  it('counts requests by route template, method and status, with their duration', async () => {
    const user = await platform.given.user();
    for (let turn = 0; turn < 3; turn++)
      await platform.as(user).get(`/api/user/withdrawals/${crypto.randomUUID()}`);
    await platform.as(user).get('/api/user/balance');
    await eventually(async () => {
      const metrics = await page();
      const countOf = (route: string, status: string) =>
        metrics.value('http_request_duration_seconds_count', { method: 'GET', route, status });
      expect(countOf('/api/user/withdrawals/:id', '404')).toBe(3);
      expect(countOf('/api/user/balance', '200')).toBe(1);
      expect(
        metrics.value('http_request_duration_seconds_bucket', { route: '/api/user/balance', le: '+Inf' }),
      ).toBe(1);
    });
  });

  it('has no label values that a caller can invent', async () => {
    for (let turn = 0; turn < 50; turn++) {
      await sendRequest(`${platform.baseUrl}/api/made-up-${turn}/${crypto.randomUUID()}?q=${turn}`);
      await sendRequest(`${platform.baseUrl}/api/ping`, {
        method: ['PROPFIND', 'LOCK', 'REPORT'][turn % 3] as string,
      });
    }
    const metrics = await page();
    const templates = platform.app
      .get(RouteAudit)
      .routes()
      .map(({ path }) => path);
    const documents = ['/api/docs', '/api/docs/', '/api/openapi.json'];
    for (const route of metrics.labelValues('route'))
      expect([...templates, ...documents, 'other']).toContain(route);
    for (const method of metrics.labelValues('method'))
      expect(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other']).toContain(method);
    expect(metrics.value('http_request_duration_seconds_count', { route: 'other' })).toBeGreaterThanOrEqual(
      100,
    );
  });

  it('counts committed postings, replays of idempotency keys and refusals of the rate limit [SEC-137]', async () => {
    const before = await page();
    const user = await platform.given.user().withBalance('1000.00');
    const withdraw = (amount: string, key: string) =>
      platform
        .as(user)
        .post(
          '/api/user/withdrawals',
          { amount, currency: 'USDC', toAddress: DESTINATION },
          { headers: { 'idempotency-key': key } },
        );
    expect((await withdraw('10.00', 'one')).status).toBe(201);
    expect((await withdraw('10.00', 'one')).headers.get('idempotency-replayed')).toBe('true');
    expect((await withdraw('5000.00', 'two')).code).toBe('INSUFFICIENT_BALANCE');
    const after = await page();
    const increaseOf = (name: string, labels = {}) =>
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    expect(increaseOf('ledger_postings_total', { type: 'withdrawal-requested' })).toBe(1);
    expect(increaseOf('ledger_postings_total', { type: 'deposit' })).toBe(1);
    expect(increaseOf('idempotency_replays_total')).toBe(1);

    const strict = await startReplica(platform, { RATE_LIMIT_PUBLIC: 2 } as Partial<AppConfig>);
    const statuses = [];
    for (let turn = 0; turn < 5; turn++)
      statuses.push((await platform.as(null, strict).get('/api/sla/status')).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    expect((await MetricsPage.fetch(strict)).value('rate_limit_refusals_total', { class: 'public' })).toBe(3);
  });

  it('does not count postings that were rolled back', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const before = (await page()).value('ledger_postings_total', { type: 'withdrawal-requested' });
    await platform.dataSource.query('alter table domain_event rename to domain_event_away');
    try {
      const { status } = await platform
        .as(user)
        .post('/api/user/withdrawals', { amount: '10.00', currency: 'USDC', toAddress: DESTINATION });
      expect(status).toBe(500); // failed at the event after the posting
    } finally {
      await platform.dataSource.query('alter table domain_event_away rename to domain_event');
    }
    expect((await page()).value('ledger_postings_total', { type: 'withdrawal-requested' })).toBe(before);
  });

  it('shows queues, lags and the last integrity run', async () => {
    await platform.app.get(NavsService).publishMissingNavs();
    await platform.dataSource.query('delete from integrity_run'); // removes the run of the start
    const before = await freshPage();
    expect(before.value('integrity_run_age_seconds')).toBeUndefined();
    expect(before.value('nav_lag_days', { strategy: 'balanced-10' })).toBe(0);

    const user = await platform.given.user().withBalance('1000.00');
    const request = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    await platform.as(user).post('/api/user/withdrawals', request);
    // A callback that is due long after the test, so that it waits, and a dead letter.
    await platform.dataSource.query(
      `insert into webhook_event (id, provider, kind, event_key, body, status, reason, attempts, received_at, due_at, settled_at, seal)
       values (gen_random_uuid(), 'p', 'deposit', 'a', '{}', 'received', null, 0, $1, $2, null, $3),
              (gen_random_uuid(), 'p', 'deposit', 'b', '{}', 'failed', 'no', 12, $1, $1, $1, $3)`,
      [platform.clock.now(), new Date('2099-01-01'), WRONG_SEAL],
    );
    await platform.app.get(IntegrityService).check();
    platform.clock.advance(90_000);
    const after = await freshPage();
    const increaseOf = (name: string, labels = {}) =>
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    expect(increaseOf('withdrawals_open', { status: 'pending' })).toBe(1);
    expect(after.value('withdrawals_oldest_age_seconds', { status: 'pending' })).toBe(90);
    expect(after.value('withdrawals_oldest_age_seconds', { status: 'processing' })).toBe(0);
    expect(increaseOf('webhooks_waiting')).toBe(1);
    expect(after.value('webhook_lag_seconds')).toBe(90);
    expect(increaseOf('webhooks_dead')).toBe(1);
    expect(after.value('deposits_unfinished', { status: 'held' })).toBe(0);
    expect(after.value('integrity_run_age_seconds')).toBe(90);
    expect(after.value('integrity_run_status', { status: 'holds' })).toBe(1);
    expect(after.value('integrity_run_status', { status: 'broken' })).toBe(0);
    expect(after.value('withdrawals_paused')).toBe(0);
    expect(after.value('database_pool_connections', { state: 'total' })).toBeGreaterThan(0);
  });

  it('shows whether withdrawals are paused', async () => {
    const admin = platform.as(await platform.given.admin('admin'));
    await admin.post('/api/admin/integrity/pause', { reason: 'Keys are replaced' });
    expect((await freshPage()).value('withdrawals_paused')).toBe(1);
    await admin.post('/api/admin/integrity/resume', { reason: 'Keys were replaced' });
    expect((await freshPage()).value('withdrawals_paused')).toBe(0);
  });

  it('shows by how many days the values of a strategy are late', async () => {
    await platform.app.get(NavsService).publishMissingNavs();
    const lockHolder = new pg.Client(database.url);
    await lockHolder.connect();
    try {
      // Publishing the value of a day waits for this lock.
      await lockHolder.query(`select pg_advisory_lock_shared(hashtextextended('strategy balanced-10', 0))`);
      platform.clock.advance(3 * DAY_MS);
      expect((await freshPage()).value('nav_lag_days', { strategy: 'balanced-10' })).toBe(3);
    } finally {
      await lockHolder.end();
    }
  });

  it('needs one statement in five seconds for any number of requests', async () => {
    skipTime(CACHE_MS);
    const time = freezeTime();
    const statements = await queriesDuring(() => Promise.all(Array.from({ length: 20 }, page)));
    time.resume();
    expect(statements.filter((text) => text.includes('from integrity_run'))).toHaveLength(1);
  });
});

describe('While the database', () => {
  afterEach(async () => {
    await proxy.close();
    await proxy.open();
    await eventually(async () =>
      expect((await sendRequest(`${platform.baseUrl}/api/health/ready`)).status).toBe(200),
    );
  });

  it.each([
    ['is unavailable', () => proxy.close()],
    ['hangs', async () => proxy.stall()],
  ])('%s, GET /metrics answers without figures of the database', async (_, disconnect) => {
    await platform.as(null).get('/api/ping'); // a request that the metrics count
    await platform.dataSource.query('select 1'); // opens a connection on which a query could hang
    skipTime(CACHE_MS);
    await disconnect();
    const metrics = await page();
    expect(metrics.value('database_up')).toBe(0);
    expect(metrics.value('withdrawals_open')).toBeUndefined();
    expect(metrics.value('webhook_lag_seconds')).toBeUndefined();
    expect(metrics.value('http_request_duration_seconds_count')).toBeGreaterThan(0);
  });
});

describe('Access to GET /metrics', () => {
  const reply = async (url: string, authorization?: string) => {
    const headers: Record<string, string> = authorization ? { authorization } : {};
    const { status, body } = await sendRequest(`${url}/metrics`, { headers });
    return { status, code: status === 200 ? undefined : body.error.code };
  };

  it('is public outside production', async () => {
    expect((await reply(platform.baseUrl)).status).toBe(200);
  });

  it('requires the token if one is configured', async () => {
    const url = await startReplica(platform, { METRICS_TOKEN: TOKEN } as Partial<AppConfig>);
    expect((await platform.as(null, url).get('/metrics')).code).toBe('TOKEN_MISSING');
    expect((await platform.as({ token: `${TOKEN}x` }, url).get('/metrics')).code).toBe('TOKEN_INVALID');
    expect((await reply(url, `Basic ${TOKEN}`)).code).toBe('TOKEN_MISSING');
    expect((await reply(url, `Bearer ${TOKEN}`)).status).toBe(200);
  });

  it('is disabled in production without a token [SEC-120]', async () => {
    const url = await startReplica(platform, { NODE_ENV: 'production' } as Partial<AppConfig>);
    expect((await platform.as(null, url).get('/metrics')).code).toBe('NOT_FOUND');
    const open = await startReplica(platform, {
      NODE_ENV: 'production',
      METRICS_TOKEN: TOKEN,
    } as Partial<AppConfig>);
    expect((await reply(open, `Bearer ${TOKEN}`)).status).toBe(200);
  });
});
