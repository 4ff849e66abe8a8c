import { HOUR_MS } from '../../../src/common/durations.js';
import { AppConfig } from '../../../src/config/app-config.js';
import type { Party } from '../../../src/sandbox/faults.js';
import { eventually } from '../../harness/eventually.js';
import { skipTime, freezeTime } from '../../harness/skip-time.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';

interface Component {
  component: string;
  status: string;
  message: string;
  latency: number;
  details: Record<string, string>;
}

const CACHE_MS = 2000; // health checks are cached for this time
const expireCache = () => skipTime(CACHE_MS);

describe('Health', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
    const report = { strategyId: 'balanced-10', day: '2026-03-02', apy: '10' };
    // The status of the custody provider is unknown before its first call.
    await platform.outside.providers.custody.report(report).delivery;
  });
  afterAll(() => platform?.stop());

  const get = (path: string) => platform.as(null).get(path);
  const components = async () => {
    const { data } = await get('/api/health/detailed');
    return Object.fromEntries((data.components as Component[]).map((entry) => [entry.component, entry]));
  };

  it('answers the ping in the envelope', async () => {
    expect(await get('/api/ping')).toMatchObject({
      status: 200,
      data: { status: 'ok', success: true, message: 'pong', timestamp: platform.clock.now().toISOString() },
    });
  });

  // A busy machine delays the event loop, which health reports as degraded. Therefore the test retries.
  it.each(['/api/health', '/health'])('%s reports that all components are healthy', (path) =>
    eventually(async () => {
      const { status, body, data } = await get(path);
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, systemHealthy: true });
      expect(data).toMatchObject({
        status: 'healthy',
        message: '8/8 components healthy',
        healthy: true,
        componentCount: 8,
      });
      expect(data.uptime).toMatch(/^\d+d \d+h \d+m \d+s$/);
    }),
  );

  it('shows whether the service runs for a rehearsal, as the metric rehearsal does', async () => {
    const METRICS_TOKEN = 'metrics-token-0123456789';
    const production = { NODE_ENV: 'production', REHEARSAL: 'true', METRICS_TOKEN } as const;
    const url = await startReplica(platform, production);
    expect((await platform.as(null, url).get('/api/health/detailed')).data.rehearsal).toBe(true);
    expect((await MetricsPage.fetch(url, METRICS_TOKEN)).value('rehearsal')).toBe(1);
    expect((await get('/api/health/detailed')).data.rehearsal).toBe(false);
    expect((await MetricsPage.fetch(platform.baseUrl)).value('rehearsal')).toBe(0);
  });

  it('shows details of the parts of the platform and of the chain, and lists the three providers', async () => {
    const { admins, chain, database, ledger, resources, ...parties } = await components();
    expect(admins?.details).toEqual({ listed: expect.stringMatching(/^\d+$/) });
    expect(database?.details.migrations).toMatch(/^\d+$/);
    expect(chain?.details).toMatchObject({ chainId: '31337', newestBlock: expect.stringMatching(/^\d+$/) });
    expect(ledger?.details).toEqual({
      lastCheck: platform.clock.now().toISOString(),
      oldestOpenWithdrawal: 'none',
    });
    expect(resources?.details).toMatchObject({ heapUsedMegabytes: expect.stringMatching(/^\d+$/) });
    expect(Object.keys(parties).sort()).toEqual([
      'custody-provider',
      'deposit-provider',
      'identity-provider',
    ]);
  });

  it.each(['database', 'blockchain', 'business', 'resources'])(
    '/api/health/%s checks one component',
    (name) =>
      eventually(async () => {
        const { status, data } = await get(`/api/health/${name}`);
        expect(status).toBe(200);
        expect(data).toMatchObject({ status: 'healthy', message: 'answers' });
      }),
  );

  it.each<[string, Party]>([
    ['chain', 'chain'],
    ['deposit-provider', 'deposit'],
    ['identity-provider', 'identity'],
  ])('is degraded, alive and ready while the %s fails', async (component, party) => {
    expireCache();
    platform.outside.providers.faults.set(party, 'error');
    try {
      await eventually(async () => {
        const { status, body, data } = await get('/api/health');
        expect(status).toBe(200);
        expect(body).toMatchObject({ success: false, systemHealthy: true });
        expect(data).toMatchObject({ status: 'degraded', message: '7/8 components healthy', healthy: true });
      });
      expect((await components())[component]?.status).toBe('unhealthy');
      expect((await get('/api/health/ready')).status).toBe(200);
      expect((await get('/api/health/live')).status).toBe(200);
    } finally {
      platform.outside.providers.faults.clear(party);
    }
    expireCache();
    expect((await components())[component]?.status).toBe('healthy');
  });

  it('/api/health/blockchain answers 503 while the chain does not answer', async () => {
    expireCache();
    platform.outside.providers.faults.set('chain', 'error');
    try {
      await eventually(async () => {
        const { status, body, data } = await get('/api/health/blockchain');
        expect([status, body.success]).toEqual([503, false]);
        expect(data).toMatchObject({ component: 'chain', status: 'unhealthy' });
      });
    } finally {
      platform.outside.providers.faults.clear('chain');
    }
    expireCache();
  });

  it('checks a provider once for concurrent requests', async () => {
    expireCache();
    const time = freezeTime(); // keeps results cached while the twenty requests run
    platform.outside.providers.faults.set('deposit', 'error', 2); // one check: a call and one retry
    const results = await Promise.all(Array.from({ length: 20 }, components)).finally(() => time.resume());
    const statuses = results.map(({ 'deposit-provider': provider }) => provider?.status);
    expect(new Set(statuses)).toEqual(new Set(['unhealthy']));
    expireCache();
    expect((await components())['deposit-provider']?.status).toBe('healthy'); // both faults were used by one check
  });

  it('is degraded by a withdrawal that is pending for more than a day', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const requestedAt = platform.clock.now().toISOString();
    const withdrawal = await platform
      .as(user)
      .post('/api/user/withdrawals', { amount: '50.00', currency: 'USDC', toAddress: DESTINATION });
    platform.clock.advance(25 * HOUR_MS);
    expireCache();
    try {
      const { status, body, data } = await get('/api/health/business');
      expect(status).toBe(200);
      expect(body.success).toBe(false);
      expect(data).toMatchObject({
        status: 'degraded',
        message: 'a withdrawal waits for more than 24 hours',
      });
      expect(data.details.oldestOpenWithdrawal).toBe(requestedAt);
      expect(data.lastChecked).toBe(data.details.lastCheck); // of the invariants, not of this request
    } finally {
      await platform.as(user).post(`/api/user/withdrawals/${withdrawal.data.id}/cancel`);
      platform.clock.moveTo(requestedAt);
      expireCache();
    }
  });

  it('GET /api/version returns the running version and its build', async () => {
    const { data } = await get('/api/version');
    expect(data).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      apiVersion: 'v1',
      nodeVersion: process.version,
      environment: platform.app.get(AppConfig).NODE_ENV,
    });
    expect(data.commit).toMatch(/^[0-9a-f]{12}$/);
    expect(Date.parse(data.builtAt)).toBeLessThanOrEqual(Date.now());
  });
});
