import { startPlatform, type TestPlatform } from '../support/platform.js';
import { kept } from '../support/promises.js';
import { startReplica } from '../support/replica.js';

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

  it('counts a caller by its address, whatever X-Forwarded-For says, and refuses above the limit', async () => {
    const { status } = await platform
      .as(null)
      .get('/api/ping', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(status).toBe(200); // not counted: it is not limited
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
    expect(Math.abs((refused?.reset ?? 0) - (Date.now() / 1000 + seconds))).toBeLessThan(5);
  });

  describe('is not asked more often by', () => {
    let tried = 0;
    let letThrough = 0;

    /** A process whose limits nobody has used up; how many of the calls are let through there. */
    async function through(
      calls: ((url: string) => Promise<Response>)[],
      settings: Parameters<typeof startReplica>[1] = {},
    ): Promise<number> {
      const url = await startReplica(platform, settings);
      const answers = await Promise.all(calls.map((call) => call(url)));
      const count = answers.filter(({ status }) => ![404, 429].includes(status)).length;
      tried += answers.length;
      letThrough += Math.max(0, count - LIMIT);
      return count;
    }

    const asking =
      (headers: Record<string, string> = {}, path = PATH, method = 'GET') =>
      (url: string) =>
        fetch(url + path, { method, headers });
    const addresses = Array.from({ length: 10 }, (_, i) => `203.0.113.${i}`);

    it.each([
      ...['x-forwarded-for', 'x-real-ip', 'x-client-ip', 'x-originating-ip', 'x-remote-ip', 'x-remote-addr'],
      ...['true-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'x-cluster-client-ip', 'via', 'x-host'],
    ])('%s', async (name) => {
      expect(await through(addresses.map((address) => asking({ [name]: address })))).toBe(LIMIT);
    });

    it('Forwarded, or by several headers at once', async () => {
      const headers: Record<string, string>[] = addresses.flatMap((address) => [
        { forwarded: `for=${address}` },
        {
          forwarded: `for="[2001:db8::${address.split('.')[3]}]"`,
          'x-forwarded-for': `${address}, ${address}`,
        },
      ]);
      expect(await through(headers.map((header) => asking(header)))).toBe(LIMIT);
    });

    it('other spellings, methods and routes of the same class, all at once', async () => {
      const paths = [
        PATH,
        `${PATH}/`,
        '/API/AUTH/STATUS',
        `${PATH}?a=1`,
        '/api/auth/%73tatus',
        '/api/deposits/status',
      ];
      const calls = paths.flatMap((path) => [asking({}, path), asking({}, path, 'HEAD')]);
      expect(await through([...calls, ...calls, ...calls])).toBe(LIMIT);
    });

    it('tokens that are not good', async () => {
      const tokens = addresses.map((text) => asking({ authorization: `Bearer ${text}` }));
      expect(await through(tokens)).toBe(LIMIT);
    });

    it('other addresses of one network, nor by other ports or spellings, behind a proxy that is trusted', async () => {
      const ips = Array.from({ length: 12 }, (_, i) => [
        `2001:db8:1:2::${i}`,
        `2001:0db8:1:2:${i}:aaaa:0:1`,
        `[2001:db8:1:2::1]:${4000 + i}`,
      ]);
      const calls = ips.flat().map((ip) => asking({ 'x-forwarded-for': ip }));
      expect(await through(calls, { TRUST_PROXY: ['127.0.0.1'] })).toBe(LIMIT);
      const mapped = [
        '192.0.2.1',
        '::ffff:192.0.2.1',
        '::FFFF:c000:201',
        '192.0.2.1:1',
        '192.0.2.1:2',
        '[::ffff:c000:0201]:9',
      ];
      const others = mapped.map((ip) => asking({ 'x-forwarded-for': ip }));
      expect(await through(others, { TRUST_PROXY: ['127.0.0.1'] })).toBe(LIMIT);
    });

    it('what a caller writes before the address that the proxy saw', async () => {
      const calls = addresses.map((ip) => asking({ 'x-forwarded-for': `${ip}, unknown, 198.51.100.1` }));
      expect(await through(calls, { TRUST_PROXY: ['127.0.0.1', '10.0.0.0/8'] })).toBe(LIMIT);
    });

    it('one user with many tokens and addresses', async () => {
      const roomy = await startReplica(platform, { RATE_LIMIT_PUBLIC: 1000 });
      const token = await platform.outside.providers.identity.token({ email: 'busy@example.org' });
      const signIns = Array.from({ length: 5 }, () =>
        platform.as({ token }, roomy).post('/api/auth/idp/login'),
      );
      const calls = (await Promise.all(signIns)).flatMap(({ data: { token } }, i) => {
        const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `203.0.113.${i}` };
        return [asking(headers, '/api/user/balance'), asking(headers, '/api/user/deposits')];
      });
      const settings = { RATE_LIMIT_USER: LIMIT, TRUST_PROXY: ['127.0.0.1'] };
      expect(await through(calls, settings)).toBe(LIMIT);
    });

    it('guesses at a password: many addresses, many spellings of the e-mail, both doors, all at once', async () => {
      const spellings = ['admin@example.com', 'ADMIN@example.com', 'Admin@Example.Com', 'admin@EXAMPLE.com'];
      const calls = spellings.flatMap((email, i) =>
        ['/api/admin/auth/login', '/api/auth/cookie/admin/login'].map((path) => (url: string) => {
          const headers = { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${i}` };
          const body = JSON.stringify({ email, password: `guess ${i}` });
          return fetch(url + path, { method: 'POST', headers, body });
        }),
      );
      const settings = { RATE_LIMIT_SIGN_IN: LIMIT, RATE_LIMIT_PUBLIC: 1000, TRUST_PROXY: ['127.0.0.1'] };
      expect(await through(calls, settings)).toBe(LIMIT);
    });

    it('would be let through by this test if it were somebody else', async () => {
      const calls = addresses.map((ip) => asking({ 'x-forwarded-for': ip }));
      tried -= calls.length;
      const before = letThrough;
      expect(await through(calls, { TRUST_PROXY: ['127.0.0.1'] })).toBe(10); // a proxy that is believed saw ten
      letThrough = before;
    });

    afterAll(() =>
      kept(
        'Nobody asks more often than permitted by looking like others',
        `${tried} requests, let through above the limit ${letThrough}`,
      ),
    );
  });

  it('does not limit health probes', async () => {
    for (let i = 0; i < LIMIT * 3; i++) {
      const { status, headers } = await platform.as(null).get('/api/health/live');
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    }
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
