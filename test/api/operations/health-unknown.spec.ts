import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HOUR_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { IntegrityService } from '../../../src/modules/assurance/integrity/integrity.service.js';
import { eventually } from '../../harness/eventually.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring } from '../../harness/queries.js';
import { startReplicaWithoutPort, startReplica } from '../../harness/replica.js';
import { skipTime, freezeTime } from '../../harness/skip-time.js';

const CACHE_MS = 2000; // health checks are cached for this time
const expireCache = () => skipTime(CACHE_MS);

interface Component {
  component: string;
  status: string;
  message: string;
  latency: number;
  details: Record<string, string>;
  lastChecked: string | null;
}

describe('The health check', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  const get = (path: string, baseUrl?: string) => platform.as(null, baseUrl).get(path);
  const now = () => platform.clock.now().toISOString();
  const components = async () => {
    const { data } = await get('/api/health/detailed');
    return Object.fromEntries((data.components as Component[]).map((entry) => [entry.component, entry]));
  };
  const custody = async () => {
    expireCache();
    return (await components())['custody-provider'];
  };
  const business = async () => {
    expireCache();
    return get('/api/health/business');
  };
  const deleteRuns = () => platform.dataSource.query('delete from integrity_run');

  it('answers unknown for the custody provider until its first call, and nevertheless healthy for the platform', async () => {
    expect(await custody()).toEqual({
      component: 'custody-provider',
      status: 'unknown',
      message: 'has not called yet',
      latency: 0,
      details: expect.objectContaining({ lastCall: 'none yet' }),
      lastChecked: null,
    });
    await eventually(async () => {
      expireCache();
      const { status, body, data } = await get('/api/health');
      expect([status, body.success]).toEqual([200, true]);
      expect(data).toMatchObject({
        status: 'healthy',
        message: '7/8 components healthy',
        healthy: true,
        componentCount: 8,
      });
    });
  });

  it('shows the last call of the custody provider as the time when the provider was checked', async () => {
    const calledAt = now();
    const report = { strategyId: 'balanced-10', day: '2026-03-02', apy: '10' };
    const { delivery } = platform.outside.providers.custody.report(report);
    await delivery;
    platform.clock.advance(HOUR_MS);
    expect(await custody()).toMatchObject({
      status: 'healthy',
      details: { lastCall: calledAt },
      lastChecked: calledAt,
    });
  });

  it('answers 200 with status unknown for the ledger until its first check', async () => {
    await deleteRuns();
    const { status, body, data } = await business();
    expect([status, body.success]).toEqual([200, false]);
    expect(data).toMatchObject({
      status: 'unknown',
      message: 'not checked yet',
      latency: 0,
      details: { lastCheck: 'none yet' },
      lastChecked: null,
    });
  });

  it('answers healthy for the ledger soon after a start, which checks the ledger in the background', async () => {
    await deleteRuns();
    await startReplicaWithoutPort(platform);
    await eventually(async () => {
      const { data } = await business();
      expect(data).toMatchObject({ status: 'healthy', lastChecked: now(), details: { lastCheck: now() } });
    });
  });

  it('answers unknown for a ledger whose last check is more than 36 hours old', async () => {
    await platform.app.get(IntegrityService).check();
    const checkedAt = now();
    platform.clock.advance(36 * HOUR_MS);
    expect((await business()).data).toMatchObject({ status: 'healthy', lastChecked: checkedAt });
    platform.clock.advance(1);
    const { status, data } = await business();
    expect(status).toBe(200);
    expect(data).toMatchObject({
      status: 'unknown',
      message: 'the last check is more than 36 hours old',
      lastChecked: checkedAt,
    });
  });

  it('shows when a component was checked, not when its cached result was requested', async () => {
    expireCache();
    const time = freezeTime(); // keeps results cached
    const checkedAt = now();
    await components(); // fills the cache
    platform.clock.advance(MINUTE_MS);
    const { data } = await get('/api/health/detailed');
    time.resume();
    expect(data.checkedAt).toBe(now());
    // The custody provider shows the time of its last call, and the ledger that of the last integrity check.
    const checked = (data.components as Component[]).filter(
      ({ component }) => component !== 'custody-provider' && component !== 'ledger',
    );
    expect(checked.map(({ lastChecked }) => lastChecked)).toEqual(Array(6).fill(checkedAt));
  });

  it('shows the time of a failed check', async () => {
    expireCache();
    platform.outside.providers.faults.set('identity', 'error');
    const time = freezeTime();
    try {
      const checkedAt = now();
      await components(); // fills the cache
      platform.clock.advance(MINUTE_MS);
      const { 'identity-provider': provider } = await components();
      expect(provider).toMatchObject({ status: 'unhealthy', lastChecked: checkedAt });
    } finally {
      time.resume();
      platform.outside.providers.faults.clear('identity');
    }
  });

  it('sends at most four statements for all components, and none for the liveness probe', async () => {
    const statements = await fewestQueriesDuring(async () => {
      expireCache();
      await components();
    });
    // They read the schema version, the last callback, the last integrity check and the oldest withdrawal.
    expect(statements.length).toBeLessThanOrEqual(4);
    expect(await fewestQueriesDuring(() => get('/api/health/live'))).toEqual([]);
  });

  it('sends one statement for the readiness probe', async () => {
    expect(await fewestQueriesDuring(() => get('/api/health/ready'))).toHaveLength(1);
  });

  describe('of the chain', () => {
    /** Forwards all calls to the node of the platform except eth_syncing, which it answers with `syncing`. */
    let node: Server;
    let syncing: unknown = false;
    let nodeUrl: string;

    beforeAll(async () => {
      node = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          const { id, method } = JSON.parse(body) as { id: number; method: string };
          const answer = (text: string) =>
            response.writeHead(200, { 'content-type': 'application/json' }).end(text);
          if (method === 'eth_syncing') answer(JSON.stringify({ jsonrpc: '2.0', id, result: syncing }));
          else
            void sendRequest(platform.outside.chain.rpcUrl, { method: 'POST', body: JSON.parse(body) }).then(
              ({ text }) => answer(text),
            );
        });
      });
      await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
      nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
    });
    afterAll(() => {
      node.closeAllConnections();
      node.close();
    });

    it('answers unhealthy, and degraded for the platform, when the node is on another chain than the configured one', async () => {
      const replica = await startReplica(platform, { CHAIN_ID: 1 });
      const { status, data } = await get('/api/health/blockchain', replica);
      expect(status).toBe(503);
      expect(data).toMatchObject({
        status: 'unhealthy',
        message: 'the node is on chain 31337 and not on chain 1',
        details: { chainId: '31337' },
      });
      expect((await get('/api/health', replica)).data).toMatchObject({ status: 'degraded', healthy: true });
      const user = await platform.given.user();
      const dashboard = await platform.as(user, replica).get('/api/user/dashboard');
      expect(dashboard.data.systemStatus.blockchain).toBe('unhealthy');
    });

    it('answers degraded while the node is synchronising', async () => {
      const replica = await startReplica(platform, { RPC_URL: nodeUrl });
      syncing = { startingBlock: '0x0', currentBlock: '0x1', highestBlock: '0xff' };
      const { status, data } = await get('/api/health/blockchain', replica);
      expect(status).toBe(200);
      expect(data).toMatchObject({ status: 'degraded', message: 'the node is synchronising' });
      syncing = false;
      expireCache();
      expect((await get('/api/health/blockchain', replica)).data).toMatchObject({ status: 'healthy' });
    });
  });
});
