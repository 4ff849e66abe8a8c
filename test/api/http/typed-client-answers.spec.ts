import { randomUUID } from 'node:crypto';
import { ApiError, Client, rateLimitOf, type ClientOptions } from '../../../client/client.js';
import type { ChainTransactionsResponse, TransactionResponse } from '../../../client/routes.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { rejectionOf } from '../../harness/rejection.js';

type Fetch = NonNullable<ClientOptions['fetch']>;

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());

describe('An answer to the typed client', () => {
  it('has typed details of an error by its code', async () => {
    const { token } = await platform.given.user().withBalance('50.00');
    const api = new Client({ baseUrl: platform.baseUrl, token });
    const error = await rejectionOf(
      api.call('POST /api/user/investments', { body: { strategyId: 'balanced-10', amount: '60.00' } }),
    );
    if (!(error instanceof ApiError)) throw new Error('no ApiError', { cause: error });
    if (error.code !== 'INSUFFICIENT_BALANCE') throw error;
    const shortfall: string = error.details.shortfall; // compiles for this code alone
    expect(shortfall).toBe('10.00'); // 60.00 − 50.00
    expect(error.name).toBe('ApiError');
    // @ts-expect-error: the details of this code have no `until`
    expect(error.details.until).toBeUndefined();
  });

  it('states the rate limit, also if it is an error', async () => {
    const limits: unknown[] = [];
    const { token } = await platform.given.user();
    const api = new Client({
      baseUrl: platform.baseUrl,
      token,
      onResponse: ({ headers }, route) => limits.push([route, rateLimitOf(headers)]),
    });
    await api.call('GET /api/user/balance');
    const limit = { limit: 1_000_000, remaining: expect.any(Number), reset: expect.any(Number) };
    expect(limits).toEqual([['GET /api/user/balance', limit]]);
    const id = randomUUID();
    const error = await rejectionOf(api.call('GET /api/user/investments/{id}', { path: { id } }));
    expect(rateLimitOf((error as ApiError).headers)).toEqual(limit);
    expect(rateLimitOf(new Headers())).toBeUndefined();
  });
});

describe('The pages of a list in the typed client', () => {
  /** A client of a user with a deposit of each amount, one after the other. */
  async function clientWithDeposits(...amounts: string[]) {
    const { id, token } = await platform.given.user();
    const deposit = async (amount: string) => {
      platform.clock.advance(1000);
      await platform.given.deposit(id, amount);
      await platform.caughtUp();
    };
    for (const amount of amounts) await deposit(amount);
    return { api: new Client({ baseUrl: platform.baseUrl, token }), deposit };
  }

  it('have each row once, and none that is added meanwhile', async () => {
    const { api, deposit } = await clientWithDeposits('1.00', '2.00', '3.00', '4.00', '5.00');
    const pages: string[][] = [];
    const query = { type: 'deposit', orderBy: 'desc', limit: 2, page: 1 } as const;
    for await (const { data } of api.pages('GET /api/user/transactions', { query })) {
      pages.push((data as TransactionResponse[]).map(({ amount }) => amount));
      await deposit('6.00');
    }
    expect(pages).toEqual([['5.00', '4.00'], ['3.00', '2.00'], ['1.00']]);
  });

  it('are all read, too, if the cursor is beside the rows in `data` and not in `pagination`', async () => {
    const { api } = await clientWithDeposits('1.00', '2.00', '3.00');
    const counts: number[] = [];
    const query = { view: 'chain', limit: 1 } as const;
    for await (const { data } of api.pages('GET /api/user/transactions', { query }))
      counts.push((data as ChainTransactionsResponse).transactions.length);
    expect(counts).toEqual([1, 1, 1]);
  });
});

describe('A request of the typed client', () => {
  it('carries the token of a step-up, and headers of the caller in the place of its own', async () => {
    const sent: Headers[] = [];
    const fetch: Fetch = async (_url, init) => {
      sent.push(new Headers(init.headers));
      return Response.json({});
    };
    const api = new Client({ baseUrl: platform.baseUrl, token: 'one', fetch });
    await api.call('POST /api/user/totp', { stepUp: 'ticket', headers: { Authorization: 'Bearer two' } });
    expect(sent.map((headers) => [headers.get('x-step-up'), headers.get('authorization')])).toEqual([
      ['ticket', 'Bearer two'],
    ]);
  });
});
