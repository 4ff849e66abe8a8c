import { rpcCall } from '../../fixtures/rpc-calls.js';
import { EchoServer } from '../../harness/echo-server.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const SECRET = 'whsec_bm90LXRoZS1zYW5kYm94LWV2ZW50LXNlY3JldC0x';
const EXPECTED = `Basic ${Buffer.from('user:p@ss/word').toString('base64')}`;

describe('Credentials in the addresses of settings', () => {
  let platform: TestPlatform;
  let outside: EchoServer;

  beforeAll(async () => {
    outside = await EchoServer.start();
    platform = await startPlatform({
      screening: true,
      settings: {
        RPC_URL: addressOf('node'),
        DEPOSIT_PROVIDER_URL: addressOf('deposits-api'),
        SCREENING_URL: addressOf('screening'),
        EVENT_WEBHOOK_URL: addressOf('events'),
        EVENT_WEBHOOK_SECRET: SECRET,
      },
    });
  });
  afterAll(async () => {
    await platform?.stop();
    await outside?.stop();
  });

  const addressOf = (party: string) =>
    `${outside.url.replace('http://', 'http://user:p%40ss%2Fword@')}/${party}`;

  it('are sent as an Authorization header to the node, the providers and the receiver of events [SEC-510]', async () => {
    await platform.given.user();
    await platform.as(null).get('/api/health/detailed');
    await eventually(() => {
      for (const party of ['node', 'deposits-api', 'screening', 'events'])
        expect([party, outside.headersTo(party)?.authorization]).toEqual([party, EXPECTED]);
      return Promise.resolve();
    });
    outside.received.length = 0;
    await platform.as(null).post('/api/blockchain/rpc', rpcCall('eth_chainId'));
    expect(outside.headersTo('node')?.authorization).toBe(EXPECTED);
  });

  it('are sent to the identity provider when a sign-in reads its keys, and are not part of the health report [SEC-512]', async () => {
    const token = await platform.outside.providers.identity.token({ email: 'ann@example.org' });
    const replica = await startReplica(platform, { IDP_JWKS_URL: addressOf('keys') });
    await platform.as({ token }, replica).post('/api/auth/idp/login');
    expect(outside.headersTo('keys')?.authorization).toBe(EXPECTED);
    const { data } = await platform.as(null, replica).get('/api/health/detailed');
    expect(JSON.stringify(data)).not.toContain('p%40ss');
  });
});
