import { rpcCall } from '../../fixtures/rpc-calls.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { EchoServer } from '../../harness/echo-server.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = (flags = '01') => `00-${TRACE_ID}-00f067aa0ba902b7-${flags}`;
const TRACESTATE = 'vendor=opaque,other@system=1:2';
const ADDRESS = '/api/user/deposits/address?currency=USDT&network=TRC20';
const CLAIM = {
  txHash: `0x${'ab'.repeat(32)}`,
  amount: '600.00',
  currency: 'USDC',
  fromAddress: DESTINATION,
};

/** Without a collector of spans; test/faults/traces.spec.ts has one. */
describe('The trace of a request', () => {
  let platform: TestPlatform;
  let outside: EchoServer;
  let token: string;
  let api: string;

  beforeAll(async () => {
    outside = await EchoServer.start();
    platform = await startPlatform();
    const user = await platform.given.user();
    await platform.as(user).get('/api/user/deposits/address?currency=USDC&network=ERC20'); // claims need it
    ({ token } = user);
    api = await startReplica(platform, {
      RPC_URL: `${outside.url}/node`,
      DEPOSIT_PROVIDER_URL: `${outside.url}/deposits`,
      IDP_JWKS_URL: `${outside.url}/keys`,
    });
  });
  afterAll(async () => {
    await platform?.stop();
    await outside?.stop();
  });

  /** The trace headers that the party received because of this request, and the span of the response. */
  async function sentTo(party: string, call: () => Promise<{ body: { spanId: string } }>) {
    outside.received.length = 0;
    const { spanId } = (await call()).body;
    // Requests of background jobs belong to no trace.
    const [request] = outside.received.filter((r) => r.party === party && r.headers.traceparent);
    const { traceparent: sent, tracestate } = request?.headers ?? {};
    return { spanId, sent, tracestate };
  }
  const askForAddress = (headers: Record<string, string>) =>
    sentTo('deposits', () => platform.as({ token }, api).get(ADDRESS, { headers }));

  it('is carried on to the deposit provider with the tracestate of the caller', async () => {
    const { spanId, ...headers } = await askForAddress({
      traceparent: traceparent(),
      tracestate: TRACESTATE,
    });
    expect(headers).toEqual({ sent: `00-${TRACE_ID}-${spanId}-01`, tracestate: TRACESTATE });
  });

  it.each([
    ['a check of a transaction', '/api/user/blockchain/deposit', CLAIM],
    ['a call through the RPC proxy', '/api/blockchain/rpc', rpcCall('eth_chainId')],
  ])('is carried on to the node of the chain by %s', async (_, path, body) => {
    const headers = { traceparent: traceparent(), tracestate: TRACESTATE };
    const { sent, tracestate } = await sentTo('node', () =>
      platform.as({ token }, api).post(path, body, { headers }),
    );
    expect([sent, tracestate]).toEqual([expect.stringContaining(`00-${TRACE_ID}-`), TRACESTATE]);
  });

  it('is carried on to the identity provider', async () => {
    const jwt = await platform.outside.providers.identity.token({ email: 'ann@example.org' });
    const headers = { traceparent: traceparent(), tracestate: TRACESTATE };
    const { spanId, ...received } = await sentTo('keys', () =>
      platform.as({ token: jwt }, api).post('/api/auth/idp/login', undefined, { headers }),
    );
    expect(received).toEqual({ sent: `00-${TRACE_ID}-${spanId}-01`, tracestate: TRACESTATE });
  });

  it('is carried on as not sampled if the caller does not sample it', async () => {
    const { spanId, sent } = await askForAddress({ traceparent: traceparent('00') });
    expect(sent).toBe(`00-${TRACE_ID}-${spanId}-00`);
  });

  it.each([
    ['the caller sends none', {}],
    ['that of the caller is malformed', { tracestate: 'no pairs' }],
    ['that of the caller is longer than 512 characters', { tracestate: `vendor=${'x'.repeat(600)}` }],
  ])('has no tracestate if %s', async (_, headers) => {
    const sent = await askForAddress({ traceparent: traceparent(), ...headers });
    expect(sent).toEqual({ spanId: sent.spanId, sent: `00-${TRACE_ID}-${sent.spanId}-01` });
  });

  it('is new, without the tracestate of the caller, if the traceparent is malformed', async () => {
    const { sent, tracestate } = await askForAddress({ traceparent: '00-1-2-01', tracestate: TRACESTATE });
    expect(sent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(tracestate).toBeUndefined();
  });
});
