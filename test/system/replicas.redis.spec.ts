import { ApiProcess } from '../harness/api-process.js';
import { eventually } from '../harness/eventually.js';
import type { Reply } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { SystemServer } from '../harness/system-programs.js';

const LIMITS = { RATE_LIMIT_USER: '12', RATE_LIMIT_PUBLIC: '1000', RATE_LIMIT_SIGN_IN: '5' };
const CLIENT_NETWORK = '203.0.113.';

describe('Two API processes that share a Redis', () => {
  let platform: TestPlatform;
  let redis: SystemServer;
  let processes: [ApiProcess, ApiProcess];

  beforeAll(async () => {
    platform = await startPlatform({ at: new Date().toISOString() });
    redis = await SystemServer.redis();
    const env = {
      ...platform.env,
      ...LIMITS,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      TRUST_PROXY: '127.0.0.1',
    };
    processes = [await ApiProcess.launch(env), await ApiProcess.launch(env)];
    for (const process of processes) await process.waitUntilReady();
  });
  afterAll(async () => {
    for (const process of processes ?? []) await process.kill();
    await redis?.remove();
    await platform?.stop();
  });

  /** Calls the two processes in turn and returns all responses. */
  async function callAlternately(count: number, call: (url: string) => Promise<Reply>): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (let i = 0; i < count; i++) replies.push(await call((processes[i % 2] as ApiProcess).url));
    return replies;
  }

  const profile = (user: { token: string }) => (url: string) =>
    platform.as(user, url).get('/api/user/profile');

  it("share the count of a user's requests and report it in their headers", async () => {
    const user = await platform.given.user();

    const startedAt = Math.floor(Date.now() / 1000);
    const replies = await callAlternately(14, profile(user));
    const endedAt = Math.ceil(Date.now() / 1000);

    const remaining = replies.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]); // of 12
    expect(replies.map(({ status }) => status)).toEqual([...Array(12).fill(200), 429, 429]);
    const resets = replies.map(({ headers }) => Number(headers.get('x-ratelimit-reset')));
    expect(Math.min(...resets)).toBeGreaterThanOrEqual(startedAt + 3600);
    expect(Math.max(...resets)).toBeLessThanOrEqual(endedAt + 3600);
  });

  it('count parallel requests once each [SEC-060]', async () => {
    const user = await platform.given.user();
    const calls = Array.from({ length: 40 }, (_, i) => profile(user)((processes[i % 2] as ApiProcess).url));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(12); // RATE_LIMIT_USER
  });

  it('share the count of sign-in attempts per client address reported by the proxy', async () => {
    const attempt = (address: string) => (url: string) =>
      platform.as(null, url).call(
        'POST',
        '/api/admin/auth/login',
        { email: `${address}@example.com`, password: 'wrong' },
        {
          headers: { 'x-forwarded-for': address },
        },
      );
    const codes = (await callAlternately(6, attempt(`${CLIENT_NETWORK}7`))).map(({ code }) => code);
    expect(codes).toEqual([...Array(5).fill('INVALID_CREDENTIALS'), 'TOO_MANY_ATTEMPTS']);
    expect((await callAlternately(1, attempt(`${CLIENT_NETWORK}8`)))[0]?.code).toBe('INVALID_CREDENTIALS');
  });

  it('count separately while Redis is unreachable and share the counts again afterwards', async () => {
    await redis.stop();
    const user = await platform.given.user();
    const replies = await callAlternately(4, profile(user));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(replies.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
      '11',
      '11',
      '10',
      '10',
    ]);

    await redis.start();
    const remainingOfNewUser = async () => {
      const newUser = await platform.given.user();
      return (await callAlternately(2, profile(newUser))).map(({ headers }) =>
        headers.get('x-ratelimit-remaining'),
      );
    };
    await eventually(async () => expect(await remainingOfNewUser()).toEqual(['11', '10']));
  });

  it('answer requests while Redis hangs', async () => {
    const user = await platform.given.user();
    redis.signal('SIGSTOP');
    try {
      const replies = await Promise.all(processes.map(({ url }) => profile(user)(url)));
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      redis.signal('SIGCONT');
    }
  });

  it('refuse a token after its sign-out at the other process once they received the notification', async () => {
    const user = await platform.given.user();
    const [first, second] = processes;
    expect((await profile(user)(second.url)).status).toBe(200);

    await platform.as(user, first.url).post('/api/auth/logout');

    // test/api/identity/token-revocation.spec.ts shows how long the notification takes at most.
    await eventually(async () => expect((await profile(user)(second.url)).code).toBe('TOKEN_INVALID'));
  });
});
