import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { LoadShedder } from '../../src/http/resilience/load-shedder.js';
import { RouteAudit } from '../../src/http/auth/route-audit.js';
import type { TestUser } from '../fixtures/given.js';
import { UNKNOWN_ID } from '../fixtures/withdrawals.js';
import { Browser } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest } from '../harness/http-client.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica, startReplicaWithoutPort } from '../harness/replica.js';
import { parseResponses } from '../verification/hostile-input/sender.js';

const LISTED = ['http://localhost:5173', 'http://localhost:8080'];
const [APP = ''] = LISTED;

/** Every CORS header of a response to a page of a listed origin. */
const SHARED = {
  vary: 'Origin',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': APP,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers':
    'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, traceparent, Idempotency-Replayed, Content-Disposition',
};
const NOT_SHARED = { vary: 'Origin', 'cross-origin-resource-policy': 'same-origin' };
const PREFLIGHT = {
  vary: 'Origin',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': APP,
  'access-control-allow-credentials': 'true',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, X-CSRF-Token, traceparent',
  'access-control-max-age': '600',
};

let platform: TestPlatform;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform();
  user = await platform.given.user();
});
afterAll(() => platform.stop());

function corsHeadersOf(headers: Iterable<[string, string]>): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => /^(vary|cross-origin-resource-policy|access-control-.*)$/.test(name)),
  );
}

/** Sends a request as a page of `origin` and returns its status and CORS headers. */
async function ask(
  path: string,
  {
    origin = APP,
    token,
    ...request
  }: { origin?: string; token?: string; method?: string; body?: unknown } & {
    headers?: Record<string, string>;
  } = {},
  at = platform.baseUrl,
) {
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const reply = await sendRequest(at + path, {
    ...request,
    headers: { origin, ...authorization, ...request.headers },
  });
  return {
    status: reply.status,
    text: reply.text,
    headers: reply.headers,
    cors: corsHeadersOf(reply.headers),
  };
}

const preflight = (path: string, origin = APP, at = platform.baseUrl) => {
  const headers = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,x-other',
  };
  return ask(path, { origin, method: 'OPTIONS', headers }, at);
};

describe('A preflight request of a listed origin', () => {
  it('is answered with 204 and an empty body for every path, known or not', async () => {
    const paths = platform.app
      .get(RouteAudit)
      .routes()
      .map(({ path }) => path.replace(/:\w+/g, UNKNOWN_ID));
    expect(paths.length).toBeGreaterThan(100);
    for (const path of [...new Set(paths), '/api/docs', '/api/unknown', '/']) {
      const { status, text, cors } = await preflight(path);
      expect({ path, status, text, cors }).toEqual({ path, status: 204, text: '', cors: PREFLIGHT });
    }
  });

  it('names the origin that asked, for each listed origin', async () => {
    for (const origin of LISTED)
      expect((await preflight('/api/ping', origin)).cors['access-control-allow-origin']).toBe(origin);
  });

  it('counts against no rate limit, and is answered above it', async () => {
    const limited = await startReplica(platform, { RATE_LIMIT_PUBLIC: 1 });
    const remaining = async () => {
      for (let call = 0; call < 3; call++)
        expect((await preflight('/api/auth/status', APP, limited)).status).toBe(204);
      const { status, headers, cors } = await ask('/api/auth/status', {}, limited);
      expect(cors).toEqual(SHARED);
      return [status, headers.get('x-ratelimit-remaining'), headers.has('retry-after')];
    };
    expect(await remaining()).toEqual([200, '0', false]);
    expect(await remaining()).toEqual([429, '0', true]);
  });

  it('is answered while the service rejects other requests for overload', async () => {
    const app = await startReplicaWithoutPort(platform, { REQUESTS_AT_ONCE: 1, REQUEST_WAIT_MS: 60_000 });
    await app.listen(0, '127.0.0.1');
    const full = await app.getUrl();
    const path = '/api/user/notifications';
    const calls: Promise<{ status: number }>[] = [];
    await platform.dataSource.transaction(async (blocker) => {
      await blocker.query('lock table notification in access exclusive mode');
      calls.push(ask(path, { token: user.token }, full), ask(path, { token: user.token }, full));
      await eventually(async () => {
        const [users] = app.get(LoadShedder).state.filter(({ kind }) => kind === 'everybody');
        expect(users).toMatchObject({ inFlight: 1, queued: 1 });
        expect(await platform.dataSource.query(LOCK_WAITS)).not.toEqual([]);
      });
      const refused = await ask(path, { token: user.token }, full);
      expect(refused).toMatchObject({ status: 503, cors: SHARED });
      expect(refused.headers.get('retry-after')).not.toBeNull();
      expect(await preflight(path, APP, full)).toMatchObject({ status: 204, cors: PREFLIGHT });
    });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('A response to a page of a listed origin', () => {
  const LONG = 'x'.repeat(100_001);
  it.each<[number, string, Parameters<typeof ask>[1] & { asUser?: true }]>([
    [200, '/api/ping', {}],
    [200, '/api/ping', { method: 'HEAD' }],
    [200, '/api/docs', {}],
    [200, '/api/openapi.json', {}],
    [200, '/api/user/balance', { asUser: true }],
    [200, '/api/user/statement?format=csv', { asUser: true }],
    [400, '/api/user/transactions?page=0', { asUser: true }],
    [400, '/api/%00', {}],
    [400, '/api/user/withdrawals', { asUser: true, method: 'POST', body: '{' }],
    [401, '/api/user/balance', {}],
    [403, '/api/admin/users', { asUser: true }],
    [404, '/api/unknown', {}],
    [404, '/api/ping', { method: 'OPTIONS' }], // not a preflight request
    [413, '/api/user/withdrawals', { asUser: true, method: 'POST', body: LONG }],
    [
      415,
      '/api/user/withdrawals',
      { asUser: true, method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
    ],
  ])('with status %s of %s %j has all CORS headers', async (status, path, { asUser, ...request }) => {
    const reply = await ask(path, { ...request, ...(asUser ? { token: user.token } : {}) });
    expect(reply).toMatchObject({ status, cors: SHARED });
  });

  it.each([
    [
      'malformed',
      400,
      (origin: string) => `GET /api/ping HTTP/1.1\r\nhost: x\r\norigin: ${origin}\r\ncanary\r\n\r\n`,
    ],
    [
      'too long',
      431,
      (origin: string) => `GET /api/ping HTTP/1.1\r\nhost: x\r\norigin: ${origin}\r\nx: ${LONG}\r\n\r\n`,
    ],
  ])('has all CORS headers if the request is %s', async (_, status, bytes) => {
    const exchange = async (origin: string) => {
      const { hostname, port } = new URL(platform.baseUrl);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      socket.end(bytes(origin));
      return parseResponses(await buffer(socket)).map((answer) => [
        answer.status,
        corsHeadersOf(answer.headers),
      ]);
    };
    expect(await exchange(APP)).toEqual([[status, SHARED]]);
    expect(await exchange(`${APP}0`)).toEqual([[status, NOT_SHARED]]);
  });

  it('exposes the headers of rate limits and of files', async () => {
    const { headers } = await ask('/api/user/statement?format=csv', { token: user.token });
    for (const name of ['x-ratelimit-limit', 'traceparent', 'content-disposition'])
      expect(headers.get(name)).not.toBeNull();
  });
});

describe('A page of an origin that is not listed', () => {
  it.each([
    'https://evil.example.com',
    'null',
    '*',
    'http://localhost',
    'http://localhost:51730',
    'https://localhost:5173',
    'http://localhost:5173/',
    'http://LOCALHOST:5173',
    'http://localhost:5173.evil.example.com',
    'http://evil.localhost:5173',
    'http://localhost:5173, http://localhost:8080',
    'http://localhost:5173,http://localhost:8080',
  ])('such as %s gets no CORS headers [SEC-144]', async (origin) => {
    for (const { status, cors } of [
      await ask('/api/ping', { origin }),
      await ask('/api/user/balance', { origin }),
      await ask('/api/docs', { origin }),
      await preflight('/api/ping', origin),
    ])
      expect({ status, cors }).toEqual({ status, cors: NOT_SHARED });
    expect((await preflight('/api/ping', origin)).status).toBe(404);
  });

  it('is every origin by default', async () => {
    const unset = await startReplica(platform, { CORS_ORIGINS: [] });
    expect((await ask('/api/ping', {}, unset)).cors).toEqual(NOT_SHARED);
    expect(await preflight('/api/ping', APP, unset)).toMatchObject({ status: 404, cors: NOT_SHARED });
  });

  it('shares no cache entry with a listed one: responses have Vary: Origin also without a request header Origin', async () => {
    const { headers } = await sendRequest(`${platform.baseUrl}/api/ping`);
    expect(corsHeadersOf(headers)).toEqual(NOT_SHARED);
  });
});

describe('A cookie session at a listed origin', () => {
  it('keeps its cookie SameSite=Strict and needs the CSRF token [SEC-145]', async () => {
    const browser = new Browser(platform);
    await browser.signIn('elsewhere@example.org');
    expect(browser.setCookies.join()).toMatch(/HttpOnly;.*SameSite=Strict/);
    const call = (headers: Record<string, string>) =>
      browser.call('GET', '/api/user/balance', undefined, { origin: APP, ...headers });
    const withoutToken = await call({});
    expect([withoutToken.status, withoutToken.code]).toEqual([403, 'CSRF_INVALID']);
    const reply = await call({ 'x-csrf-token': browser.csrfToken ?? '' });
    expect(reply.status).toBe(200);
    expect(corsHeadersOf(reply.headers)).toEqual(SHARED);
  });

  it('returns a redirectUrl to the listed origin', async () => {
    const jwt = await platform.outside.providers.identity.token({ email: 'going@example.org' });
    const redirectUrl = `${APP}/welcome`;
    const reply = await platform.as({ token: jwt }).post('/api/auth/idp/login', { redirectUrl });
    expect(reply).toMatchObject({ status: 200, data: { redirectUrl } });
  });
});
