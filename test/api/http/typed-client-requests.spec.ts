import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, type ClientOptions } from '../../../client/client.js';
import { Hold } from '../../harness/hold.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { rejectionOf } from '../../harness/rejection.js';
import { TcpProxy } from '../../harness/tcp-proxy.js';

type Fetch = NonNullable<ClientOptions['fetch']>;

const INVESTMENT = { strategyId: 'balanced-10' as const, amount: '100.00' };

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());

/** The token of the identity provider for a new person. */
const identityToken = (email = `${randomUUID()}@example.org`) =>
  platform.outside.providers.identity.token({ email, name: 'Test Person' });

describe('The address of the service', () => {
  afterEach(() => Reflect.deleteProperty(globalThis, 'location'));

  it.each([
    ['https://example.com', undefined, 'https://example.com/api/user/deposits?page=2'],
    [
      'https://example.com/platform/?x=1#y',
      undefined,
      'https://example.com/platform/api/user/deposits?page=2',
    ],
    ['/platform', 'https://example.com/a/b?x=1#y', 'https://example.com/platform/api/user/deposits?page=2'],
    ['../platform', 'https://example.com/a/b/', 'https://example.com/a/platform/api/user/deposits?page=2'],
    ['', 'https://example.com/a/b?x=1', 'https://example.com/api/user/deposits?page=2'],
    [undefined, 'https://example.com/a/b?x=1', 'https://example.com/api/user/deposits?page=2'],
  ])('%j on the page %j leads to %s', async (baseUrl, page, expected) => {
    if (page) Object.assign(globalThis, { location: { href: page } });
    const urls: string[] = [];
    const fetch: Fetch = async (url) => {
      urls.push(url.href);
      return Response.json({ data: [] });
    };
    const api = new Client({ fetch, ...(baseUrl === undefined ? {} : { baseUrl }) });
    await api.call('GET /api/user/deposits', { query: { page: 2 } });
    expect(urls).toEqual([expected]);
  });
});

describe('A cookie session in the typed client', () => {
  /** fetch with the cookies of a browser, which only requests with `credentials: 'include'` send to another origin. */
  function browserFetch(): Fetch {
    let cookie = '';
    return async (url, init) => {
      expect(init.credentials).toBe('include');
      const headers = new Headers(init.headers);
      if (cookie) headers.set('cookie', cookie);
      const response = await fetch(url, { ...init, headers });
      cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
      return response;
    };
  }

  it('sends cookies and the CSRF token, and reads the CSRF token again after a reload of the page', async () => {
    const { baseUrl } = platform;
    let csrfToken: string | undefined;
    const api = new Client({
      baseUrl,
      fetch: browserFetch(),
      csrfToken: () => csrfToken,
      refresh: async () => {
        csrfToken = (await api.call('GET /api/auth/cookie/verify')).data.csrfToken;
      },
    });
    const { data } = await api.call('POST /api/auth/idp/login', {
      body: { session: 'cookie' },
      headers: { Authorization: `Bearer ${await identityToken()}` },
    });
    const first = data.session === 'cookie' ? data.csrfToken : undefined;
    expect(first).toBeDefined();

    csrfToken = first;
    expect((await api.call('GET /api/user/balance')).data.available).toBe('0.00');
    csrfToken = undefined; // as after a reload
    expect((await api.call('GET /api/user/balance')).data.available).toBe('0.00');
    expect(csrfToken).toBe(first);

    await api.call('POST /api/auth/cookie/logout');
    const error = await rejectionOf(api.call('GET /api/user/balance'));
    expect(error).toMatchObject({ status: 401 }); // the answer to `refresh`, which does not wait for itself
  });
});

describe('Refreshing the token in the typed client', () => {
  async function signIn(): Promise<{ token: string; refreshToken: string }> {
    const { data } = await new Client({ baseUrl: platform.baseUrl, token: await identityToken() }).call(
      'POST /api/auth/idp/login',
    );
    if (data.session !== 'bearer') throw new Error('a cookie session');
    return data;
  }

  function clientOf(session: { token: string; refreshToken: string }) {
    const refreshes: Promise<unknown>[] = [];
    const api: Client = new Client({
      baseUrl: platform.baseUrl,
      token: () => session.token,
      refresh: () => {
        const refresh = api
          .call('POST /api/auth/refresh', { body: { refreshToken: session.refreshToken } })
          .then(({ data }) => Object.assign(session, data));
        refreshes.push(refresh);
        return refresh;
      },
    });
    return { api, refreshes };
  }

  it('happens once for concurrent requests, which are then sent again', async () => {
    const session = { ...(await signIn()), token: 'expired' };
    const { api, refreshes } = clientOf(session);
    const bodies = await Promise.all(Array.from({ length: 5 }, () => api.call('GET /api/user/balance')));
    expect(bodies.map(({ data }) => data.available)).toEqual(Array(5).fill('0.00'));
    expect(refreshes).toHaveLength(1);
    expect(session.token).not.toBe('expired');
  });

  it('does not happen for a request that was refused before another one had refreshed the token', async () => {
    const session = { ...(await signIn()), token: 'expired' };
    const { api, refreshes } = clientOf(session);
    const { token } = session;
    const hold = new Hold();
    const slow = new Client({
      baseUrl: platform.baseUrl,
      token: () => session.token,
      refresh: () => Promise.reject(new Error('the token is new already')),
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (new Headers(init.headers).get('authorization') === `Bearer ${token}`) await hold.wait();
        return response;
      },
    });
    const refused = slow.call('GET /api/user/balance');
    await api.call('GET /api/user/balance');
    hold.release();
    expect((await refused).data.available).toBe('0.00');
    expect(refreshes).toHaveLength(1);
  });

  it('rejects the request with the refusal of the refresh token', async () => {
    const { api, refreshes } = clientOf({ token: 'expired', refreshToken: 'unknown' });
    expect(await rejectionOf(api.call('GET /api/user/balance'))).toMatchObject({
      status: 401,
      code: 'INVALID_REFRESH_TOKEN',
    });
    expect(refreshes).toHaveLength(1);
  });
});

describe('Retries of the typed client', () => {
  /** A client whose first attempts fail as `failures` says, each after the service has handled the request if it calls `send`. */
  async function clientWith(...failures: ((send: () => Promise<Response>) => Promise<Response>)[]) {
    const { token } = await platform.given.user().withBalance('500.00');
    const keys: (string | null)[] = [];
    const api = new Client({
      baseUrl: platform.baseUrl,
      token,
      fetch: async (url, init) => {
        keys.push(new Headers(init.headers).get('idempotency-key'));
        const send = () => fetch(url, init);
        const fail = failures.shift();
        return fail ? fail(send) : send();
      },
    });
    return { api, keys };
  }
  const loseAnswer = async (send: () => Promise<Response>) => {
    await send();
    throw new TypeError('fetch failed');
  };
  const answer =
    (status: number, code: string, headers: Record<string, string> = {}) =>
    () =>
      Promise.resolve(Response.json({ error: { code, message: '' } }, { status, headers }));

  it('repeat a request with the same idempotency key after a lost answer, which has one effect', async () => {
    const { api, keys } = await clientWith(loseAnswer, answer(409, 'IDEMPOTENCY_IN_PROGRESS'));
    const idempotencyKey = randomUUID();
    const { data } = await api.call('POST /api/user/investments', { body: INVESTMENT, idempotencyKey });
    expect(keys).toEqual([idempotencyKey, idempotencyKey, idempotencyKey]);
    const { data: investments } = await api.call('GET /api/user/investments');
    expect(investments.map(({ id }) => id)).toEqual([data.id]);
  });

  it('do not repeat a write without an idempotency key', async () => {
    const { api, keys } = await clientWith(loseAnswer);
    expect(await rejectionOf(api.call('POST /api/user/investments', { body: INVESTMENT }))).toBeInstanceOf(
      TypeError,
    );
    expect(keys).toEqual([null]);
    expect((await api.call('GET /api/user/balance')).data.available).toBe('400.00'); // 500.00 − 100.00, once
  });

  it('wait as long as Retry-After says, in seconds or until a date', async () => {
    const date = new Date(Date.now() + 2000).toUTCString(); // whole seconds: 1 to 2 s from now
    const { api, keys } = await clientWith(
      answer(503, 'SERVICE_UNAVAILABLE', { 'retry-after': date }),
      answer(502, 'HTTP_502', { 'retry-after': '1' }),
    );
    const begun = performance.now();
    await api.call('GET /api/user/balance');
    expect(performance.now() - begun).toBeGreaterThan(1000);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date));
    expect(keys).toHaveLength(3);
  });

  it('leave a Retry-After of more than half a minute to the caller', async () => {
    const { api, keys } = await clientWith(answer(503, 'WITHDRAWALS_PAUSED', { 'retry-after': '31' }));
    const error = await rejectionOf(api.call('GET /api/user/balance'));
    expect(error).toMatchObject({ code: 'WITHDRAWALS_PAUSED', retryAfterSeconds: 31 });
    expect(keys).toHaveLength(1);
  });

  it('end after the number of retries, and do not follow a refusal', async () => {
    const { token } = await platform.given.user();
    const proxy = await TcpProxy.startFor(platform.baseUrl);
    let attempts = 0;
    const options: ClientOptions = {
      baseUrl: proxy.url,
      token,
      retries: 1,
      fetch: (url, init) => {
        attempts++;
        return fetch(url, init);
      },
    };
    const api = new Client(options);
    expect(
      await rejectionOf(api.call('GET /api/user/investments/{id}', { path: { id: randomUUID() } })),
    ).toMatchObject({ code: 'INVESTMENT_NOT_FOUND' });
    expect(attempts).toBe(1);
    await proxy.close();
    expect(await rejectionOf(api.call('GET /api/user/balance'))).toBeInstanceOf(TypeError);
    expect(attempts).toBe(3); // 1 + 2
  });
});

describe('A service that does not answer', () => {
  let baseUrl: string;
  let requests = 0;
  const server = createServer(() => requests++);

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    requests = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('makes each attempt end with the time-out of the request', async () => {
    const api = new Client({ baseUrl, retries: 1 });
    const error = await rejectionOf(api.call('GET /api/deposits/status', { timeoutMs: 300 }));
    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(requests).toBe(2); // the first attempt and one retry
  });

  it.each([
    ['during an attempt', {}],
    ['between two attempts', { fetch: () => Promise.reject(new TypeError('fetch failed')) }],
  ])('is left when the caller aborts %s', async (_when, options: ClientOptions) => {
    const controller = new AbortController();
    const reason = new Error('the page was left');
    const pending = rejectionOf(
      new Client({ baseUrl, retries: 5, timeoutMs: Infinity, ...options }).call('GET /api/deposits/status', {
        signal: controller.signal,
      }),
    );
    setTimeout(() => controller.abort(reason), 100);
    expect(await pending).toBe(reason);
    expect(requests).toBeLessThanOrEqual(1);
  });
});
