import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { startReplica } from '../harness/replica.js';

const PATH = '/api/auth/status';
const LIMIT = 3;

async function ask(platform: TestPlatform, forwardedFor?: string) {
  const headers: Record<string, string> = forwardedFor ? { 'x-forwarded-for': forwardedFor } : {};
  const { status, code, headers: answered } = await platform.as(null).get(PATH, { headers });
  const header = (name: string) => answered.get(name);
  return {
    status,
    code,
    limit: header('x-ratelimit-limit'),
    remaining: header('x-ratelimit-remaining'),
    reset: Number(header('x-ratelimit-reset')),
    retryAfter: header('retry-after'),
  };
}

describe('A public route', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { RATE_LIMIT_PUBLIC: String(LIMIT), RATE_LIMIT_USER: '2' } });
  });
  afterAll(() => platform.stop());

  it('counts a caller by its address, whatever X-Forwarded-For says, and refuses above the limit [SEC-070]', async () => {
    const { status } = await platform
      .as(null)
      .get('/api/ping', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(status).toBe(200); // not counted: it is not limited
    const before = Date.now() / 1000;
    const answers = [];
    for (const address of ['203.0.113.1', '203.0.113.2', undefined, '203.0.113.4'])
      answers.push(await ask(platform, address));
    expect(answers.map(({ status, remaining }) => [status, remaining])).toEqual([
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ]);
    const refused = answers.at(-1);
    expect(refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', limit: String(LIMIT) });
    const seconds = Number(refused?.retryAfter);
    expect(seconds).toBeGreaterThan(3500); // of the hour
    expect(seconds).toBeLessThanOrEqual(3600);
    const answeredAt = (refused?.reset ?? 0) - seconds;
    expect(answeredAt).toBeGreaterThanOrEqual(Math.floor(before));
    expect(answeredAt).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  });

  describe('is not asked more often', () => {
    let believing: string; // a process behind a proxy that it believes; nobody has used up anything there
    let roomy: string; // one that limits nothing but guesses at passwords
    let tried = 0;
    let above = 0;

    beforeAll(async () => {
      believing = await startReplica(platform, { TRUST_PROXY: ['127.0.0.1'], RATE_LIMIT_USER: LIMIT });
      const limits = { RATE_LIMIT_PUBLIC: 1000, RATE_LIMIT_SIGN_IN: LIMIT };
      roomy = await startReplica(platform, { TRUST_PROXY: ['127.0.0.1'], ...limits });
    });

    /** How many of the calls are let through when they are made all at once. */
    async function through(calls: (() => Promise<{ status: number }>)[], limit = LIMIT): Promise<number> {
      const answers = await Promise.all(calls.map((call) => call()));
      const count = answers.filter(({ status }) => ![404, 429].includes(status)).length;
      tried += answers.length;
      above += Math.max(0, count - limit);
      return count;
    }

    const asking = (url: string, headers: Record<string, string>, path = PATH, method = 'GET') => {
      return () => sendRequest(url + path, { method, headers });
    };
    const behindProxy = (ips: string[]) => ips.map((ip) => asking(believing, { 'x-forwarded-for': ip }));
    const addresses = Array.from({ length: 10 }, (_, i) => `203.0.113.${i}`);

    it('by headers that name others, other spellings of the path, other methods, or bad tokens [SEC-020]', async () => {
      const fresh = await startReplica(platform, {});
      const names = [
        ...[
          'x-forwarded-for',
          'x-real-ip',
          'x-client-ip',
          'x-originating-ip',
          'x-remote-ip',
          'via',
          'x-host',
        ],
        ...['true-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'x-cluster-client-ip', 'x-remote-addr'],
      ];
      const paths = [PATH, `${PATH}/`, '/API/AUTH/STATUS', `${PATH}?a=1`, '/api/auth/%73tatus'];
      const calls = [
        ...names.flatMap((name) => addresses.map((address) => asking(fresh, { [name]: address }))),
        ...addresses.map((address) => asking(fresh, { forwarded: `for=${address};proto=https` })),
        ...addresses.map((text) => asking(fresh, { authorization: `Bearer ${text}` })),
        ...[...paths, ...paths].flatMap((path) => ['GET', 'HEAD'].map((m) => asking(fresh, {}, path, m))),
        ...Array.from({ length: 10 }, () => asking(fresh, {}, '/api/deposits/status')),
      ];
      expect(await through(calls)).toBe(LIMIT);
    });

    it('from other addresses of one network behind a proxy that is believed [SEC-132]', async () => {
      const ips = Array.from({ length: 12 }, (_, i) => [
        `2001:db8:1:2::${i}`,
        `2001:0db8:1:2:${i}:aaaa:0:1`,
        `[2001:db8:1:2::1]:${4000 + i}`,
      ]);
      expect(await through(behindProxy(ips.flat()))).toBe(LIMIT);
    });

    it('by other spellings of one address, or its ports', async () => {
      const plain = ['192.0.2.1', '192.0.2.1:1', '192.0.2.1:2'];
      const mapped = ['::ffff:192.0.2.1', '::FFFF:c000:201', '[::ffff:c000:0201]:9'];
      expect(await through(behindProxy([...plain, ...mapped]))).toBe(LIMIT);
    });

    it('by what a caller writes before the address that the proxy saw [SEC-069]', async () => {
      const ips = addresses.map((ip) => `${ip}, unknown, 198.51.100.1`);
      expect(await through(behindProxy(ips))).toBe(LIMIT);
    });

    it('by one user with many tokens and addresses', async () => {
      const jwt = await platform.outside.providers.identity.token({ email: 'busy@example.org' });
      const signIns = Array.from({ length: 5 }, () =>
        platform.as({ token: jwt }, roomy).post('/api/auth/idp/login'),
      );
      const calls = (await Promise.all(signIns)).flatMap(({ data: { token } }, i) => {
        const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `203.0.113.${i}` };
        return ['balance', 'deposits'].map((list) => asking(believing, headers, `/api/user/${list}`));
      });
      expect(await through(calls)).toBe(LIMIT);
    });

    it('for a guess at a password: many addresses, spellings of the e-mail, both doors, at once [SEC-017]', async () => {
      const spellings = ['admin@example.com', 'ADMIN@example.com', 'Admin@Example.Com', 'admin@EXAMPLE.com'];
      const doors = ['/api/admin/auth/login', '/api/auth/cookie/admin/login'];
      const guess = (email: string, door: string, from: string) => () => {
        const headers = { 'x-forwarded-for': from };
        return sendRequest(roomy + door, { method: 'POST', headers, body: { email, password: 'guess' } });
      };
      const guessesFrom = (from: string) =>
        spellings.flatMap((email) => doors.map((door) => guess(email, door, from)));
      expect(await through(guessesFrom('203.0.113.200'))).toBe(LIMIT);
      const places = Array.from({ length: 12 }, (_, i) => `203.0.113.${i}`);
      // ten times as many for one e-mail from all places, three of which are used up above
      expect(await through(places.flatMap(guessesFrom), 9 * LIMIT)).toBe(9 * LIMIT);
      recordGuarantee('G-23', `${tried} requests, let through above the limit ${above}`);
    });

    it('and this test would see it: ten whom a proxy tells apart are ten', async () => {
      expect(await through(behindProxy(addresses))).toBe(10);
    });
  });

  it('does not limit health probes', async () => {
    for (let i = 0; i < LIMIT * 3; i++) {
      const { status, headers } = await platform.as(null).get('/api/health/live');
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    }
  });
});

describe('Public traffic from an address', () => {
  let platform: TestPlatform;

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
  });
  afterAll(() => platform.stop());

  it('locks nobody behind it out of signing in, refreshing or using a session', async () => {
    const anybody = platform.as(null);
    const calls: Record<string, () => Promise<{ status: number }>> = {
      rpc: () =>
        anybody.post('/api/blockchain/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      faucet: () => anybody.get('/api/faucet/status'),
      public: () => anybody.get('/api/deposits/status'),
    };
    for (const [name, call] of Object.entries(calls)) {
      const statuses = [];
      for (let i = 0; i < LIMIT * 2; i++) statuses.push((await call()).status);
      expect([name, ...statuses]).toEqual([name, 200, 200, 200, 429, 429, 429]);
    }

    const jwt = await platform.outside.providers.identity.token({ email: 'ann@example.org' });
    const signedIn = await platform.as({ token: jwt }).post('/api/auth/idp/login');
    const { refreshToken } = signedIn.data;
    const refreshed = await anybody.post('/api/auth/refresh', { refreshToken });
    const credentials = { email: 'admin@example.com', password: 'sandbox-password' };
    const answers = [
      signedIn,
      refreshed,
      await anybody.post('/api/admin/auth/login', credentials),
      await anybody.post('/api/auth/cookie/admin/login', credentials),
      await platform.as({ token: refreshed.data.token }).get('/api/user/balance'),
      await platform.as({ token: refreshed.data.token }).post('/api/auth/logout'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(refreshed.headers.get('x-ratelimit-remaining')).toBe('8'); // the address's second of 10
    expect(answers.at(-1)?.headers.get('x-ratelimit-remaining')).toBe('9'); // the user's first
  });

  it('with a token that is refused counts against the address, whatever the token says', async () => {
    const strict = await startReplica(platform, { RATE_LIMIT_USER: LIMIT });
    const codes = [];
    for (const token of ['a', 'b', 'c', 'd', 'e'])
      codes.push((await platform.as({ token }, strict).get('/api/user/balance')).code);
    const [invalid, limited] = ['TOKEN_INVALID', 'RATE_LIMIT_EXCEEDED'];
    expect(codes).toEqual([invalid, invalid, invalid, limited, limited]);
    const user = await platform.given.user();
    expect((await platform.as(user, strict).get('/api/user/balance')).status).toBe(200);
  });
});

describe('Behind a proxy that the configuration names', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { RATE_LIMIT_PUBLIC: String(LIMIT), TRUST_PROXY: '127.0.0.1' },
    });
  });
  afterAll(() => platform.stop());

  it('each forwarded address is counted for itself, the last one that the proxy saw', async () => {
    for (const remaining of ['2', '1', '0'])
      expect(await ask(platform, '203.0.113.1')).toMatchObject({ remaining });
    expect((await ask(platform, '203.0.113.1')).status).toBe(429);
    expect((await ask(platform, '203.0.113.2')).remaining).toBe('2');
    // what the caller itself wrote in front of it changes nothing
    expect((await ask(platform, '198.51.100.77, 203.0.113.1')).status).toBe(429);
  });
});
