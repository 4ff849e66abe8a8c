import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { MINUTE_MS } from '../../../src/common/durations.js';
import { LoadShedder } from '../../../src/http/resilience/load-shedder.js';
import { RouteAudit } from '../../../src/http/auth/route-audit.js';
import type { TestUser } from '../../fixtures/given.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { Browser } from '../../harness/browser.js';
import { eventually } from '../../harness/eventually.js';
import { sendRequest } from '../../harness/http-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica, startReplicaWithoutPort } from '../../harness/replica.js';
import { parseResponses } from '../../verification/hostile-input/sender.js';

const LISTED_ORIGINS = ['http://localhost:5173', 'http://localhost:8080'];
const [LISTED_ORIGIN = ''] = LISTED_ORIGINS;

/** Every CORS header of a response to a page of a listed origin. */
const LISTED_HEADERS = {
  vary: 'Origin',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': LISTED_ORIGIN,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers':
    'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, traceparent, Idempotency-Replayed, Content-Disposition',
};
/** Every CORS header of a response to any other page. */
const UNLISTED_HEADERS = { vary: 'Origin', 'cross-origin-resource-policy': 'same-origin' };
const PREFLIGHT_HEADERS = {
  vary: 'Origin',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': LISTED_ORIGIN,
  'access-control-allow-credentials': 'true',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, X-CSRF-Token, X-Step-Up, traceparent, tracestate',
  'access-control-max-age': '600',
};

let platform: TestPlatform;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform();
  user = await platform.given.user();
});
afterAll(() => platform?.stop());

function corsHeadersOf(headers: Iterable<[string, string]>): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => /^(vary|cross-origin-resource-policy|access-control-.*)$/.test(name)),
  );
}

interface PageRequest {
  /** The origin of the page; by default a listed one. */
  origin?: string;
  token?: string | undefined;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Sends a request as a page does. `cors` contains the CORS headers of the response. */
async function sendFromPage(path: string, pageRequest: PageRequest = {}, baseUrl = platform.baseUrl) {
  const { origin = LISTED_ORIGIN, token, ...request } = pageRequest;
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const reply = await sendRequest(baseUrl + path, {
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

const sendPreflight = (path: string, origin = LISTED_ORIGIN, baseUrl = platform.baseUrl) => {
  const headers = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,x-other',
  };
  return sendFromPage(path, { origin, method: 'OPTIONS', headers }, baseUrl);
};

describe('A preflight request from a page of a listed origin', () => {
  it('is answered with 204 and an empty body for the paths of all routes and for unknown paths', async () => {
    const paths = platform.app
      .get(RouteAudit)
      .routes()
      .map(({ path }) => path.replace(/:\w+/g, UNKNOWN_ID));
    expect(paths.length).toBeGreaterThan(100);
    for (const path of [...new Set(paths), '/api/docs', '/api/unknown', '/']) {
      const { status, text, cors } = await sendPreflight(path);
      expect({ path, status, text, cors }).toEqual({ path, status: 204, text: '', cors: PREFLIGHT_HEADERS });
    }
  });

  it('is answered with its own origin in Access-Control-Allow-Origin', async () => {
    for (const origin of LISTED_ORIGINS)
      expect((await sendPreflight('/api/ping', origin)).cors['access-control-allow-origin']).toBe(origin);
  });

  it('does not count against the rate limit and is answered when the limit is exceeded', async () => {
    const limited = await startReplica(platform, { RATE_LIMIT_PUBLIC: 1 });
    const sendAfterPreflights = async () => {
      for (let call = 0; call < 3; call++)
        expect((await sendPreflight('/api/auth/status', LISTED_ORIGIN, limited)).status).toBe(204);
      const { status, headers, cors } = await sendFromPage('/api/auth/status', {}, limited);
      expect(cors).toEqual(LISTED_HEADERS);
      return [status, headers.get('x-ratelimit-remaining'), headers.has('retry-after')];
    };
    expect(await sendAfterPreflights()).toEqual([200, '0', false]);
    expect(await sendAfterPreflights()).toEqual([429, '0', true]);
  });

  it('is answered while load shedding rejects other requests', async () => {
    const app = await startReplicaWithoutPort(platform, { REQUESTS_AT_ONCE: 1, REQUEST_WAIT_MS: MINUTE_MS });
    await app.listen(0, '127.0.0.1');
    const busyUrl = await app.getUrl();
    const path = '/api/user/notifications';
    const calls: Promise<{ status: number }>[] = [];
    await platform.dataSource.transaction(async (blocker) => {
      await blocker.query('lock table notification in access exclusive mode');
      calls.push(
        sendFromPage(path, { token: user.token }, busyUrl),
        sendFromPage(path, { token: user.token }, busyUrl),
      );
      await eventually(async () => {
        const limiterState = app.get(LoadShedder).state.find(({ kind }) => kind === 'everybody');
        expect(limiterState).toMatchObject({ inFlight: 1, queued: 1 });
        expect(await platform.dataSource.query(LOCK_WAITS)).not.toEqual([]);
      });
      const refused = await sendFromPage(path, { token: user.token }, busyUrl);
      expect(refused).toMatchObject({ status: 503, cors: LISTED_HEADERS });
      expect(refused.headers.get('retry-after')).not.toBeNull();
      expect(await sendPreflight(path, LISTED_ORIGIN, busyUrl)).toMatchObject({
        status: 204,
        cors: PREFLIGHT_HEADERS,
      });
    });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('A response to a page of a listed origin', () => {
  const LONG = 'x'.repeat(100_001); // above the limits of a body (100,000 bytes) and of the headers (16 KiB)
  it.each<[what: string, status: number, path: string, PageRequest & { asUser?: true }]>([
    ['to GET', 200, '/api/ping', {}],
    ['to HEAD', 200, '/api/ping', { method: 'HEAD' }],
    ['that is a page of documentation', 200, '/api/docs', {}],
    ['that is the OpenAPI document', 200, '/api/openapi.json', {}],
    ['to a user', 200, '/api/user/balance', { asUser: true }],
    ['that is a file', 200, '/api/user/statement?format=csv', { asUser: true }],
    ['to a wrong query', 400, '/api/user/transactions?page=0', { asUser: true }],
    ['to a wrong path', 400, '/api/%00', {}],
    ['to a wrong body', 400, '/api/user/withdrawals', { asUser: true, method: 'POST', body: '{' }],
    ['to a request without a token', 401, '/api/user/balance', {}],
    ['to a user without the permission', 403, '/api/admin/users', { asUser: true }],
    ['to an unknown path', 404, '/api/unknown', {}],
    ['to OPTIONS that is not a preflight request', 404, '/api/ping', { method: 'OPTIONS' }],
    ['to a long body', 413, '/api/user/withdrawals', { asUser: true, method: 'POST', body: LONG }],
    [
      'to a body of another type',
      415,
      '/api/user/withdrawals',
      { asUser: true, method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
    ],
  ])('%s has all CORS headers and the status %i', async (_what, status, path, { asUser, ...pageRequest }) => {
    const token = asUser ? user.token : undefined;
    const reply = await sendFromPage(path, { ...pageRequest, token });
    const vary = expect.stringMatching(/^Origin(,|$)/) as string; // the OpenAPI document also varies by its coding
    expect(reply).toMatchObject({ status, cors: { ...LISTED_HEADERS, vary } });
  });

  it.each([
    [
      'malformed', // the line `canary` has no colon
      400,
      (origin: string) => `GET /api/ping HTTP/1.1\r\nhost: x\r\norigin: ${origin}\r\ncanary\r\n\r\n`,
    ],
    [
      'too long',
      431,
      (origin: string) => `GET /api/ping HTTP/1.1\r\nhost: x\r\norigin: ${origin}\r\nx: ${LONG}\r\n\r\n`,
    ],
  ])('has all CORS headers if the request is %s, unless its origin is unlisted', async (_, status, bytes) => {
    const exchange = async (origin: string) => {
      const { hostname, port } = new URL(platform.baseUrl);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      socket.end(bytes(origin));
      return parseResponses(await buffer(socket)).map((answer) => [
        answer.status,
        corsHeadersOf(answer.headers),
      ]);
    };
    expect(await exchange(LISTED_ORIGIN)).toEqual([[status, LISTED_HEADERS]]);
    expect(await exchange(`${LISTED_ORIGIN}0`)).toEqual([[status, UNLISTED_HEADERS]]);
  });

  it('exposes its headers of rate limits, traces and files to the page', async () => {
    const { headers } = await sendFromPage('/api/user/statement?format=csv', { token: user.token });
    const exposed = headers.get('access-control-expose-headers')?.split(', ');
    for (const name of ['X-RateLimit-Limit', 'traceparent', 'Content-Disposition']) {
      expect(headers.get(name)).not.toBeNull();
      expect(exposed).toContain(name);
    }
  });
});

describe('A response to a page of an unlisted origin', () => {
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
  ])('does not permit %s to read it [SEC-144]', async (origin) => {
    for (const { cors } of [
      await sendFromPage('/api/ping', { origin }),
      await sendFromPage('/api/user/balance', { origin }),
      await sendFromPage('/api/docs', { origin }),
      await sendPreflight('/api/ping', origin),
    ])
      expect(cors).toEqual(UNLISTED_HEADERS);
    expect((await sendPreflight('/api/ping', origin)).status).toBe(404);
  });

  it('permits no page to read it while CORS_ORIGINS is empty', async () => {
    const withoutOrigins = await startReplica(platform, { CORS_ORIGINS: [] });
    expect((await sendFromPage('/api/ping', {}, withoutOrigins)).cors).toEqual(UNLISTED_HEADERS);
    expect(await sendPreflight('/api/ping', LISTED_ORIGIN, withoutOrigins)).toMatchObject({
      status: 404,
      cors: UNLISTED_HEADERS,
    });
  });

  it('has Vary: Origin even if the request has no Origin header, so that caches keep one response per origin', async () => {
    const { headers } = await sendRequest(`${platform.baseUrl}/api/ping`);
    expect(corsHeadersOf(headers)).toEqual(UNLISTED_HEADERS);
  });
});

describe('A page of a listed origin', () => {
  it('needs the CSRF token for its cookie session, whose cookie is HttpOnly and SameSite=Strict [SEC-145]', async () => {
    const browser = new Browser(platform);
    await browser.signIn('cookie-session@example.org');
    expect(browser.setCookies).toEqual([expect.stringMatching(/; HttpOnly; SameSite=Strict$/)]);
    const call = (headers: Record<string, string>) =>
      browser.call('GET', '/api/user/balance', undefined, { origin: LISTED_ORIGIN, ...headers });
    const withoutToken = await call({});
    expect([withoutToken.status, withoutToken.code]).toEqual([403, 'CSRF_INVALID']);
    const reply = await call({ 'x-csrf-token': browser.csrfToken ?? '' });
    expect(reply.status).toBe(200);
    expect(corsHeadersOf(reply.headers)).toEqual(LISTED_HEADERS);
  });

  it('can be the redirectUrl of a sign-in', async () => {
    const jwt = await platform.outside.providers.identity.token({ email: 'redirect@example.org' });
    const redirectUrl = `${LISTED_ORIGIN}/welcome`;
    const reply = await platform.as({ token: jwt }).post('/api/auth/idp/login', { redirectUrl });
    expect(reply).toMatchObject({ status: 200, data: { redirectUrl } });
  });
});
