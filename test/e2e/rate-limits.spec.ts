import { startPlatform, type TestPlatform } from '../support/platform.js';

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
