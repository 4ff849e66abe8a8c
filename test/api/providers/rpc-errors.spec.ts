import { rpcCall } from '../../fixtures/rpc-calls.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const PATH = '/api/blockchain/rpc';

describe('The RPC proxy', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  const send = (body: unknown) => platform.as(null).post(PATH, body);

  it('answers the rate limit with 429 and the error -32005 for each call', async () => {
    const limited = platform.as(null, await startReplica(platform, { RATE_LIMIT_RPC: 1 }));
    expect((await limited.post(PATH, rpcCall('eth_chainId'))).status).toBe(200);
    const { id: _none, ...notification } = rpcCall('eth_chainId');
    const calls = [rpcCall('eth_chainId', [], 'a'), notification, rpcCall('eth_chainId', [], 'b')];
    const refused = await limited.post(PATH, calls);
    const error = { code: -32005, data: { code: 'RATE_LIMIT_EXCEEDED' } };
    expect(refused).toMatchObject({
      status: 429,
      body: [
        { id: 'a', error },
        { id: 'b', error },
      ],
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limited.post(PATH, rpcCall('eth_chainId'))).body).toMatchObject({ id: 1, error });
  });

  it.each([
    ['invalid JSON', '{"jsonrpc":'],
    ['duplicate keys', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":"eth_sendTransaction"}'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ])('rejects %s with the error -32700', async (_, body) => {
    expect(await send(body)).toMatchObject({
      status: 200,
      body: { jsonrpc: '2.0', id: null, error: { code: -32700 } },
    });
  });

  it('rejects a body above 100 kB or with a content coding with the error -32600', async () => {
    const tooLarge = await send(rpcCall('eth_chainId', ['x'.repeat(100_000)]));
    expect(tooLarge).toMatchObject({ status: 200, body: { id: null, error: { code: -32600 } } });
    const headers = { 'content-encoding': 'gzip' };
    const encoded = await platform.as(null).post(PATH, rpcCall('eth_chainId'), { headers });
    expect(encoded).toMatchObject({ status: 200, body: { id: null, error: { code: -32600 } } });
  });

  it('reads the body whatever its Content-Type says', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { body } = await platform.as(null).post(PATH, JSON.stringify(rpcCall('eth_chainId')), { headers });
    expect(body).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' }); // 31337, the chain of the tests
  });
});
