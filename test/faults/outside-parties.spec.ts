import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startApiWithSettings } from '../harness/api-with-settings.js';

type Behaviour = (response: ServerResponse) => void;

const BEHAVIOURS: Record<string, Behaviour> = {
  hang: () => undefined,
  fail: (response) => response.writeHead(500).end('oops'),
  'answer garbage': (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"result": [[{'),
  'answer other JSON': (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello": "world"}'),
};
const PARTIES = ['chain', 'deposit', 'identity'] as const;

// The service has the smallest connection pool, so that calls which occupied connections would block other requests.
describe.each(Object.keys(BEHAVIOURS))('Outside parties that %s', (name) => {
  let platform: TestPlatform;
  let user: TestUser;
  let server: Server;
  let service: { url: string; stop: () => Promise<void> };
  const callsByParty = new Map<string, number>();

  beforeAll(async () => {
    platform = await startPlatform();
    user = await platform.given.user().withBalance('100.00');
    server = createServer((request, response) => {
      const party = (request.url ?? '').split('/')[1] as string;
      callsByParty.set(party, (callsByParty.get(party) ?? 0) + 1);
      request.resume().once('end', () => BEHAVIOURS[name]?.(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    service = await startApiWithSettings(platform, {
      RPC_URL: `${base}/chain`,
      DEPOSIT_PROVIDER_URL: `${base}/deposit`,
      IDP_JWKS_URL: `${base}/identity`,
      DATABASE_POOL_SIZE: '2',
      DEPOSIT_POLL_SECONDS: '3600',
    });
  });
  afterAll(async () => {
    server.closeAllConnections();
    await service.stop();
    server.close();
    await platform.stop();
  });

  it('make the detailed health degraded, are called at most twice for five concurrent requests, and do not affect the readiness probe [SEC-140]', async () => {
    callsByParty.clear();
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => platform.as(null, service.url).get('/api/health/detailed')),
    );
    for (const { status, body, data } of replies) {
      expect([status, body.success, data.overallStatus]).toEqual([200, false, 'degraded']);
    }
    const unhealthy = (replies[0]?.data.components as { component: string; status: string }[])
      .filter(({ status }) => status === 'unhealthy')
      .map(({ component }) => component);
    expect(unhealthy).toEqual(['chain', 'deposit-provider', 'identity-provider']);
    for (const party of PARTIES) expect(callsByParty.get(party)).toBeLessThanOrEqual(2); // one request and at most one retry
    expect((await platform.as(null, service.url).get('/api/health/ready')).status).toBe(200);
  });

  it('make a sign-in with a valid token fail with 503', async () => {
    const token = await platform.outside.providers.identity.token({ email: 'ann@example.org' });
    const reply = await platform.as({ token }, service.url).post('/api/auth/idp/login');
    expect(reply).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  });

  it('occupy no database connection while the service calls them', async () => {
    const as = platform.as(user, service.url);
    const calls = [
      ...Array.from({ length: 4 }, () => as.get('/api/user/deposits/address?currency=USDT&network=TRC20')),
      ...Array.from({ length: 4 }, () => as.get('/api/balance/wallet')),
      ...Array.from({ length: 4 }, () => platform.as(null, service.url).get('/api/blockchain/status')),
    ];
    const balances = await Promise.all(Array.from({ length: 30 }, () => as.get('/api/user/balance')));
    expect(balances.map(({ data }) => data?.available)).toEqual(Array(30).fill('100.00'));
    const refused = (await Promise.all(calls)).filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ code }) => code))).toEqual(
      new Set(['CRYPTO2B_API_ERROR', 'BLOCKCHAIN_ERROR']),
    );
  });
});
