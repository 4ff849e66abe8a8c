import type { TestUser } from '../../fixtures/given.js';
import { rpcCall } from '../../fixtures/rpc-calls.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { startReplica } from '../../harness/replica.js';

const PATH = '/api/auth/status';
const LIMIT = 3;

async function getAuthStatus(platform: TestPlatform, forwardedFor?: string) {
  const headers: Record<string, string> = forwardedFor ? { 'x-forwarded-for': forwardedFor } : {};
  const { status, code, headers: responseHeaders } = await platform.as(null).get(PATH, { headers });
  const header = (name: string) => responseHeaders.get(name);
  return {
    status,
    code,
    limit: header('x-ratelimit-limit'),
    remaining: header('x-ratelimit-remaining'),
    reset: Number(header('x-ratelimit-reset')),
    retryAfter: header('retry-after'),
  };
}

describe('Rate limits', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { RATE_LIMIT_PUBLIC: String(LIMIT), RATE_LIMIT_USER: '2' } });
  });
  afterAll(() => platform?.stop());

  it('count requests to a public route by client address, ignore X-Forwarded-For, and reject requests above the limit [SEC-070]', async () => {
    const { status } = await platform
      .as(null)
      .get('/api/ping', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(status).toBe(200); // this route has no limit and is not counted
    const before = Date.now() / 1000;
    const answers = [];
    for (const address of ['203.0.113.1', '203.0.113.2', undefined, '203.0.113.4'])
      answers.push(await getAuthStatus(platform, address));
    expect(answers.map(({ status, remaining }) => [status, remaining])).toEqual([
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ]);
    const refused = answers.at(-1);
    expect(refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', limit: String(LIMIT) });
    const seconds = Number(refused?.retryAfter);
    expect(seconds).toBeGreaterThan(3500); // of the window of an hour
    expect(seconds).toBeLessThanOrEqual(3600);
    const answeredAt = (refused?.reset ?? 0) - seconds;
    expect(answeredAt).toBeGreaterThanOrEqual(Math.floor(before));
    expect(answeredAt).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  });

  describe('cannot be evaded', () => {
    let behindTrustedProxy: string; // a replica behind a trusted proxy, without used-up limits
    let signInLimited: string; // a replica that limits only password attempts
    // Sums of these tests, which guarantee G-23 reports before the last test: that one makes permitted requests.
    let requestCount = 0;
    let acceptedAboveLimit = 0;

    beforeAll(async () => {
      behindTrustedProxy = await startReplica(platform, {
        TRUST_PROXY: ['127.0.0.1'],
        RATE_LIMIT_USER: LIMIT,
      });
      const limits = { RATE_LIMIT_PUBLIC: 1000, RATE_LIMIT_SIGN_IN: LIMIT };
      signInLimited = await startReplica(platform, { TRUST_PROXY: ['127.0.0.1'], ...limits });
    });

    /** Makes all calls concurrently and returns how many were accepted; `limit` is how many may be. */
    async function countAccepted(
      calls: (() => Promise<{ status: number }>)[],
      limit = LIMIT,
    ): Promise<number> {
      const answers = await Promise.all(calls.map((call) => call()));
      // 404 is no acceptance: the spelling of the path belongs to no route.
      const count = answers.filter(({ status }) => ![404, 429].includes(status)).length;
      requestCount += answers.length;
      acceptedAboveLimit += Math.max(0, count - limit);
      return count;
    }

    const callTo = (url: string, headers: Record<string, string>, path = PATH, method = 'GET') => {
      return () => sendRequest(url + path, { method, headers });
    };
    const behindProxy = (ips: string[]) =>
      ips.map((ip) => callTo(behindTrustedProxy, { 'x-forwarded-for': ip }));
    const addresses = Array.from({ length: 10 }, (_, i) => `203.0.113.${i}`);

    it('by forwarding headers, other spellings of the path, other methods, or invalid tokens [SEC-020]', async () => {
      const fresh = await startReplica(platform, {}); // its counters are empty
      const headerNames = [
        'x-forwarded-for',
        'x-real-ip',
        'x-client-ip',
        'x-originating-ip',
        'x-remote-ip',
        'via',
        'x-host',
        'true-client-ip',
        'cf-connecting-ip',
        'fastly-client-ip',
        'x-cluster-client-ip',
        'x-remote-addr',
      ];
      const paths = [PATH, `${PATH}/`, '/API/AUTH/STATUS', `${PATH}?a=1`, '/api/auth/%73tatus'];
      const calls = [
        ...headerNames.flatMap((name) => addresses.map((address) => callTo(fresh, { [name]: address }))),
        ...addresses.map((address) => callTo(fresh, { forwarded: `for=${address};proto=https` })),
        ...addresses.map((text) => callTo(fresh, { authorization: `Bearer ${text}` })),
        ...paths.flatMap((path) =>
          ['GET', 'GET', 'HEAD', 'HEAD'].map((method) => callTo(fresh, {}, path, method)),
        ),
        ...Array.from({ length: 10 }, () => callTo(fresh, {}, '/api/deposits/status')),
      ];
      expect(await countAccepted(calls)).toBe(LIMIT);
    });

    it('by other addresses of one IPv6 network behind a trusted proxy [SEC-132]', async () => {
      const ips = Array.from({ length: 12 }, (_, i) => [
        `2001:db8:1:2::${i}`,
        `2001:0db8:1:2:${i}:aaaa:0:1`,
        `[2001:db8:1:2::1]:${4000 + i}`,
      ]);
      expect(await countAccepted(behindProxy(ips.flat()))).toBe(LIMIT);
    });

    it('by other spellings of an address, or by ports', async () => {
      const plain = ['192.0.2.1', '192.0.2.1:1', '192.0.2.1:2'];
      const mapped = ['::ffff:192.0.2.1', '::FFFF:c000:201', '[::ffff:c000:0201]:9'];
      expect(await countAccepted(behindProxy([...plain, ...mapped]))).toBe(LIMIT);
    });

    it('by entries before the address that the proxy saw [SEC-069]', async () => {
      const ips = addresses.map((ip) => `${ip}, unknown, 198.51.100.1`);
      expect(await countAccepted(behindProxy(ips))).toBe(LIMIT);
    });

    it('by one user with several tokens and addresses', async () => {
      const jwt = await platform.outside.providers.identity.token({ email: 'busy@example.org' });
      const signIns = Array.from({ length: 5 }, () =>
        platform.as({ token: jwt }, signInLimited).post('/api/auth/idp/login'),
      );
      const calls = (await Promise.all(signIns)).flatMap(({ data: { token } }, i) => {
        const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `203.0.113.${i}` };
        return ['balance', 'deposits'].map((list) =>
          callTo(behindTrustedProxy, headers, `/api/user/${list}`),
        );
      });
      expect(await countAccepted(calls)).toBe(LIMIT);
    });

    it('for password attempts by many addresses, spellings of the e-mail address, and both sign-in routes [SEC-017]', async () => {
      const spellings = ['admin@example.com', 'ADMIN@example.com', 'Admin@Example.Com', 'admin@EXAMPLE.com'];
      const routes = ['/api/admin/auth/login', '/api/auth/cookie/admin/login'];
      const guess = (email: string, route: string, from: string) => () => {
        const headers = { 'x-forwarded-for': from };
        return sendRequest(signInLimited + route, {
          method: 'POST',
          headers,
          body: { email, password: 'guess' },
        });
      };
      const guessesFrom = (from: string) =>
        spellings.flatMap((email) => routes.map((route) => guess(email, route, from)));
      expect(await countAccepted(guessesFrom('203.0.113.200'))).toBe(LIMIT);
      const clientAddresses = Array.from({ length: 12 }, (_, i) => `203.0.113.${i}`);
      // The limit per e-mail address is ten times that of a client address; it counts the LIMIT attempts accepted above.
      expect(await countAccepted(clientAddresses.flatMap(guessesFrom), 9 * LIMIT)).toBe(9 * LIMIT);
      recordGuarantee('G-23', `${requestCount} requests, let through above the limit ${acceptedAboveLimit}`);
    });

    it('although distinct client addresses behind the proxy have separate limits', async () => {
      expect(await countAccepted(behindProxy(addresses), addresses.length)).toBe(addresses.length);
    });
  });

  it('do not apply to health probes', async () => {
    for (let i = 0; i < LIMIT * 3; i++) {
      const { status, headers } = await platform.as(null).get('/api/health/live');
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    }
  });
});

describe('Unauthenticated requests of a client address', () => {
  let platform: TestPlatform;
  let user: TestUser;

  beforeAll(async () => {
    const limit = String(LIMIT);
    platform = await startPlatform({
      settings: {
        RATE_LIMIT_PUBLIC: limit,
        RATE_LIMIT_RPC: limit,
        RATE_LIMIT_FAUCET: limit,
        RATE_LIMIT_SESSION: '10',
      },
    });
    user = await platform.given.user();
  });
  afterAll(() => platform?.stop());

  it('do not prevent its users from signing in, refreshing or using a session', async () => {
    const anonymous = platform.as(null);
    const limitedCalls: Record<string, () => Promise<{ status: number }>> = {
      rpc: () => anonymous.post('/api/blockchain/rpc', rpcCall('eth_chainId')),
      faucet: () => anonymous.get('/api/faucet/status'),
      public: () => anonymous.get('/api/deposits/status'),
    };
    for (const [name, call] of Object.entries(limitedCalls)) {
      const statuses = [];
      for (let i = 0; i < LIMIT * 2; i++) statuses.push((await call()).status);
      expect([name, ...statuses]).toEqual([name, 200, 200, 200, 429, 429, 429]);
    }
    const calls = [rpcCall('eth_chainId', [], 'a'), rpcCall('eth_chainId', [], 'b')];
    const refused = await anonymous.post('/api/blockchain/rpc', calls);
    const error = { code: -32005, data: { code: 'RATE_LIMIT_EXCEEDED' } };
    expect(refused).toMatchObject({
      status: 429,
      body: [
        { id: 'a', error },
        { id: 'b', error },
      ],
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

    const jwt = await platform.outside.providers.identity.token({ email: 'ann@example.org' });
    const signedIn = await platform.as({ token: jwt }).post('/api/auth/idp/login');
    const { refreshToken } = signedIn.data;
    const refreshed = await anonymous.post('/api/auth/refresh', { refreshToken });
    const credentials = { email: 'admin@example.com', password: 'sandbox-password' };
    const answers = [
      signedIn,
      refreshed,
      await anonymous.post('/api/admin/auth/login', credentials),
      await anonymous.post('/api/auth/cookie/admin/login', credentials),
      await platform.as({ token: refreshed.data.token }).get('/api/user/balance'),
      await platform.as({ token: refreshed.data.token }).post('/api/auth/logout'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(refreshed.headers.get('x-ratelimit-remaining')).toBe('7'); // 10 − the sign-ins of `user` and of Ann − this refresh
    expect(answers.at(-1)?.headers.get('x-ratelimit-remaining')).toBe('9'); // 10 − 1: the first request of the user
  });

  it('with an invalid token count for the address whatever the token is', async () => {
    const strict = await startReplica(platform, { RATE_LIMIT_USER: LIMIT });
    const codes = [];
    for (const token of ['a', 'b', 'c', 'd', 'e'])
      codes.push((await platform.as({ token }, strict).get('/api/user/balance')).code);
    const [invalid, limited] = ['TOKEN_INVALID', 'RATE_LIMIT_EXCEEDED'];
    expect(codes).toEqual([invalid, invalid, invalid, limited, limited]);
    expect((await platform.as(user, strict).get('/api/user/balance')).status).toBe(200);
  });
});

describe('The rate limit of a public route behind a trusted proxy', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { RATE_LIMIT_PUBLIC: String(LIMIT), TRUST_PROXY: '127.0.0.1' },
    });
  });
  afterAll(() => platform?.stop());

  it('counts requests by the last forwarded address', async () => {
    for (const remaining of ['2', '1', '0'])
      expect(await getAuthStatus(platform, '203.0.113.1')).toMatchObject({ remaining });
    expect((await getAuthStatus(platform, '203.0.113.1')).status).toBe(429);
    expect((await getAuthStatus(platform, '203.0.113.2')).remaining).toBe('2');
    // Entries that the client wrote before the last one are ignored.
    expect((await getAuthStatus(platform, '198.51.100.77, 203.0.113.1')).status).toBe(429);
  });
});
