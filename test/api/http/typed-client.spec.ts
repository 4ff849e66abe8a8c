import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, Client } from '../../../client/client.js';
import { LogReader, sealLog } from '../../fixtures/log-reader.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const HASH_BYTES = 32;

describe('The typed client', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  async function clientWith(balance: string): Promise<Client> {
    const { token } = await platform.given.user().withBalance(balance);
    return new Client({ baseUrl: platform.baseUrl, token });
  }

  it('reads public resources without a token', async () => {
    const { data } = await new Client({ baseUrl: platform.baseUrl }).call('GET /api/deposits/status');
    expect(data.networks.map(({ network }) => network)).toContain('ERC20');
  });

  it('creates, reads, lists and closes an investment', async () => {
    const api = await clientWith('500.00');
    const { data: created } = await api.call('POST /api/user/investments', {
      body: { strategyId: 'balanced-10', amount: '120.00' },
    });

    const { data: shown } = await api.call('GET /api/user/investments/{id}', { path: { id: created.id } });
    const list = await api.call('GET /api/user/investments', { query: { status: 'active', limit: 5 } });
    const { data: balance } = await api.call('GET /api/user/balance');
    await api.call('DELETE /api/user/investments/{id}', { path: { id: created.id } });

    expect(shown).toMatchObject({ id: created.id, amount: '120.00' });
    expect(list.pagination).toMatchObject({ limit: 5, total: 1 });
    expect(balance.available).toBe('380.00'); // 500.00 − 120.00
    const after = await api.call('GET /api/user/balance');
    expect(after.data.available).toBe('500.00'); // closed on the day of its creation: no growth, no fee
  });

  it('repeats a request with an idempotency key without a second effect', async () => {
    const api = await clientWith('500.00');
    const request = {
      body: { strategyId: 'balanced-10' as const, amount: '100.00' },
      idempotencyKey: randomUUID(),
    };

    const first = await api.call('POST /api/user/investments', request);
    const second = await api.call('POST /api/user/investments', request);

    expect(second.data.id).toBe(first.data.id);
    expect((await api.call('GET /api/user/balance')).data.available).toBe('400.00'); // 500.00 − 100.00, once
  });

  it('throws an ApiError with code, details and trace id', async () => {
    const api = await clientWith('50.00');
    const refused = api.call('POST /api/user/withdrawals', {
      body: { amount: '60.00', currency: 'USDC', toAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    });

    const error = await refused.catch((thrown: unknown) => thrown as ApiError);

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 422,
      code: 'INSUFFICIENT_BALANCE',
      details: { shortfall: '10.00' }, // 60.00 − 50.00
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it('calls the token function before each request', async () => {
    const first = await platform.given.user().withBalance('1.00');
    const second = await platform.given.user().withBalance('2.00');
    const tokens = [first.token, second.token];
    const api = new Client({ baseUrl: platform.baseUrl, token: () => tokens.shift() });

    const balances = [await api.call('GET /api/user/balance'), await api.call('GET /api/user/balance')];

    expect(balances.map(({ data }) => data.available)).toEqual(['1.00', '2.00']);
    await expect(api.call('GET /api/user/balance')).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  });

  it('returns responses that are not JSON as text', async () => {
    const api = await clientWith('5.00');
    const statement = await api.call('GET /api/user/statement', { query: { format: 'csv' } });
    expect(statement.split('\r\n').some((line) => line.includes('Closing balances'))).toBe(true);
  });

  it.each(['', '.', '..'])(
    'sends no request with %j in its path, which would be that of another route',
    async (id) => {
      const api = await clientWith('5.00');
      await expect(api.call('DELETE /api/user/sessions/{id}', { path: { id } })).rejects.toThrow(TypeError);
    },
  );

  it('returns binary responses as bytes, and nothing for HEAD and 204', async () => {
    const api = await clientWith('5.00');
    await sealLog(platform);
    const { size } = await new LogReader(platform).readCheckpoint();
    const tile = await api.call('GET /api/proofs/tile/{path}', { path: { path: `0/000.p/${size}` } });
    expect(tile).toHaveLength(size * HASH_BYTES);
    expect(await api.call('HEAD /api/blockchain/status')).toBeUndefined();
    const notification = { jsonrpc: '2.0', method: 'eth_blockNumber' } as const;
    expect(await api.call('POST /api/blockchain/rpc', { body: notification })).toBeUndefined();
  });

  it.each(['', '<html>Bad gateway</html>'])(
    'throws an ApiError for an error with the body %j',
    async (body) => {
      const proxy = createServer((_request, response) =>
        response.writeHead(502, { 'content-type': 'application/json', 'retry-after': '3' }).end(body),
      );
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      try {
        const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
        const api = new Client({ baseUrl, retries: 0 });
        const expected = { status: 502, code: 'HTTP_502', retryAfterSeconds: 3 };
        await expect(api.call('GET /api/deposits/status')).rejects.toMatchObject(expected);
      } finally {
        proxy.close();
      }
    },
  );
});
