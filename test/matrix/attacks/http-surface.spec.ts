import { LOCK_PAGE_POLICY } from '../../../src/modules/identity/locks/domain/lock-page.js';
import { createServer, connect, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { RouteAudit, type DeclaredRoute } from '../../../src/http/auth/route-audit.js';
import { AttackLog } from '../../verification/hostile-input/token-attacks.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { startReplica } from '../../harness/replica.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';

// Response headers, the paths that production exposes, ambiguous HTTP requests, and addresses that a client asks the service
// to call.

const EVIL = 'https://evil.example.com';

let platform: TestPlatform;
let routes: DeclaredRoute[];
let eve: TestUser;
let admin: TestAdmin;
let production: string; // URL of an instance in production mode

beforeAll(async () => {
  platform = await startPlatform();
  routes = platform.app.get(RouteAudit).routes();
  eve = await platform.given.user('eve@example.org');
  admin = await platform.given.admin();
  production = await startReplica(platform, {
    NODE_ENV: 'production',
    METRICS_TOKEN: undefined,
    WEBHOOK_ALLOWED_NETWORKS: [],
  });
});
afterAll(() => platform?.stop());

/** Routes whose answers may be cached. Those with a parameter are missing: with UNKNOWN_ID they answer an error. */
const CACHEABLE = new Set([
  '/api/proofs/checkpoint',
  '/api/proofs/key',
  '/api/proofs/checkpoints',
  '/.well-known/jwks.json',
]);

const withIds = (path: string) => path.replace(/:\w+/g, UNKNOWN_ID);

describe('The responses', () => {
  it('of every route have the security headers, for anonymous callers, users and admins [SEC-031]', async () => {
    let responseCount = 0;
    // The test-data routes are left out, because they would erase eve, whose address is at example.org. Logouts and locks are
    // sent without a token, because they would end the caller's session and lock eve's account. 503 is permitted: a treasury
    // run answers it after a long wait for open transactions.
    for (const { method, path } of routes.filter((route) => !route.path.includes('test-data')))
      for (const caller of [null, eve, admin]) {
        const response = await sendRequest(platform.baseUrl + withIds(path), {
          method,
          headers: {
            origin: EVIL,
            ...(caller && !/\/(logout|lock)$/.test(path) ? { authorization: `Bearer ${caller.token}` } : {}),
          },
        });
        const header = (name: string) => response.headers.get(name);
        expect([method, path, response.status < 500 || response.status === 503]).toEqual([
          method,
          path,
          true,
        ]);
        expect({
          cache: header('cache-control'),
          policy: header('content-security-policy'),
          sniff: header('x-content-type-options'),
          transport: header('strict-transport-security'),
          referrer: header('referrer-policy'),
          server: header('x-powered-by') ?? header('server'),
          cors: [...response.headers.keys()].filter((name) => name.startsWith('access-control-')),
        }).toEqual({
          cache: CACHEABLE.has(path) ? expect.stringMatching(/^public, max-age=(5|60)$/) : 'no-store',
          policy:
            path === '/lock' ? LOCK_PAGE_POLICY : "default-src 'none';base-uri 'none';frame-ancestors 'none'",
          sniff: 'nosniff',
          transport: 'max-age=31536000; includeSubDomains',
          referrer: 'no-referrer',
          server: null,
          cors: [],
        });
        responseCount++;
      }
    recordGuarantee('G-18', `${responseCount} responses`);
  });

  it('of the documentation page allow only resources of the same origin [SEC-064]', async () => {
    const { headers } = await sendRequest(`${platform.baseUrl}/api/docs`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;object-src 'none';base-uri 'none';frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('Production mode', () => {
  it('answers 404 for development routes, also to admins [SEC-032]', async () => {
    const developmentRoutes = routes.filter(({ rule }) => rule?.developmentOnly);
    expect(developmentRoutes.length).toBeGreaterThan(2);
    for (const { method, path } of developmentRoutes)
      for (const caller of [null, eve, admin]) {
        const reply = await platform.as(caller, production).call(method, withIds(path), undefined);
        expect([path, reply.status, reply.code]).toEqual([path, 404, 'NOT_FOUND']);
      }
  });

  const PATHS = `
    /metrics /METRICS /metrics/ /.env /.git/config /package.json /dist/main.js
    /api /debug /actuator /server-status /api/docs/../../package.json /src /admin`;

  it.each(PATHS.trim().split(/\s+/))('answers 404 for %s and exposes nothing [SEC-117]', async (path) => {
    const { status, text } = await sendRequest(production + path);
    expect(status).toBe(404);
    expect(text).not.toMatch(/dependencies|DATABASE_URL|Index of/);
  });

  it.each([
    ['TRACE', 404],
    ['PROPFIND', 404],
    ['DEBUG', 400], // Node's parser does not know this method
    ['TRACK', 400],
    ['CONNECT', 0], // the connection is closed without a response
  ])('rejects the HTTP method %s [SEC-119]', async (method, expectedStatus) => {
    const { status, text } = await exchange(
      `${method} /api/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: a=b\r\n\r\n`,
    );
    expect(status).toBe(expectedStatus);
    expect(text).not.toContain('a=b');
  });

  it('reveals no internals in an error response [SEC-118]', async () => {
    await platform.dataSource.query('alter table notification rename to notification_away');
    const reply = await platform
      .as(eve, production)
      .get('/api/user/notifications')
      .finally(() => platform.dataSource.query('alter table notification_away rename to notification'));
    expect(reply.status).toBe(500);
    expect(Object.keys(reply.body.error as object)).toEqual(['code', 'message']);
    expect(JSON.stringify(reply.body)).not.toMatch(
      /notification_|relation|select|\.ts|\.js|node_modules| at /,
    );
  });
});

/** Sends raw bytes to the production instance and returns what it answers until it closes the connection. */
async function exchange(bytes: string): Promise<{ status: number; responses: number; text: string }> {
  const { hostname, port } = new URL(production);
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
    socket.write(bytes);
  });
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  return { status: statuses[0] ?? 0, responses: statuses.length, text };
}

describe('An ambiguous or malformed HTTP request', () => {
  const smuggledRequest = 'GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const lastRequest = smuggledRequest.replace('Host: x', 'Host: x\r\nConnection: close');
  const post = (headers: string, body: string) =>
    `POST /api/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
  const chunked = `0\r\n\r\n${smuggledRequest}`;

  it.each([
    ['a length and a chunked body', post(`Content-Length: 5\r\nTransfer-Encoding: chunked`, chunked)],
    ['a chunked body and a length', post(`Transfer-Encoding: chunked\r\nContent-Length: 5`, chunked)],
    ['two lengths', post(`Content-Length: 2\r\nContent-Length: 60`, `{}${smuggledRequest}`)],
    ['two lengths in one header', post(`Content-Length: 2, 60`, `{}${smuggledRequest}`)],
    ['a length with a sign', post(`Content-Length: +2`, `{}${smuggledRequest}`)],
    ['a length in hex', post(`Content-Length: 0x2`, `{}${smuggledRequest}`)],
    ['a second transfer coding', post('Transfer-Encoding: chunked, identity', chunked)],
    ['a misspelt transfer coding', post('Transfer-Encoding: xchunked', chunked)],
    ['a space before the colon', post('Transfer-Encoding : chunked', chunked)],
    ['a folded header', post('X-A: b\r\n Transfer-Encoding: chunked', chunked)],
    ['a bare line feed', post('X-A: b\nTransfer-Encoding: chunked', chunked)],
    ['an invalid chunk size', post('Transfer-Encoding: chunked', `zz\r\n{}\r\n${chunked}`)],
    ['a chunk size with a sign', post('Transfer-Encoding: chunked', `+2\r\n{}\r\n${chunked}`)],
    ['no host', `GET /api/ping HTTP/1.1\r\n\r\n`],
    ['a header with a NUL character', `GET /api/ping HTTP/1.1\r\nHost: x\r\nX-A: \0\r\n\r\n`],
  ])('with %s is rejected with one response [SEC-071]', async (_, bytes) => {
    expect(await exchange(bytes)).toMatchObject({ status: 400, responses: 1 });
  });

  it('would be detected if it were read as two: two pipelined valid requests get two responses (control)', async () => {
    expect(await exchange(`${smuggledRequest}${lastRequest}`)).toMatchObject({ status: 200, responses: 2 });
  });
});

describe('Server-side request forgery', () => {
  let localServer: Server; // a target that the service must not call
  let port: number;
  let connectionCount = 0;

  beforeAll(async () => {
    localServer = createServer((socket) => {
      connectionCount++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => localServer.listen(0, '127.0.0.1', resolve));
    port = (localServer.address() as AddressInfo).port;
  });
  afterAll(() => void localServer.close());

  it('is impossible with the URL of a user’s webhook [SEC-027]', async () => {
    const hosts = `
      127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 0x7f.1 017700000001
      0 0.0.0.0 [::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1]
      [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [fe80::1] [fd00:ec2::254] [fc00::1]
      10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 169.254.169.254
      2852039166 0xa9fea9fe 0251.0376.0251.0376 [::ffff:169.254.169.254] 224.0.0.1
      localhost LOCALHOST localhost. a.localhost 127.0.0.1. １２７.0.0.1 127。0。0。1
      ①②⑦.⓪.⓪.① ⓛⓞⓒⓐⓛⓗⓞⓢⓣ loc%61lhost %31%32%37.0.0.1`;
    const urls = [
      ...hosts
        .trim()
        .split(/\s+/)
        .map((host) => `https://${host}/`), // without a port, which production would refuse whatever the address is
      'https://ann@127.0.0.1/',
      'https://example.com@127.0.0.1/',
      'https://127.0.0.1\\@example.com/',
      'https://127.0.0.1#@example.com/',
      'https:127.0.0.1',
      'https:/\\127.0.0.1/',
      'https:\t//127.0.0.1/',
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/_',
      'data:,x',
      'javascript:1',
      '//127.0.0.1/',
      '',
      'https://[::1',
      'https://127.0.0.1:99999/',
      'https:///127.0.0.1/',
      'blob:https://127.0.0.1/',
    ];
    const subscribe = async (url: string) => {
      const subscription = { url, events: ['deposit.completed'] };
      return (await platform.as(eve, production).post('/api/user/webhooks', subscription)).status;
    };
    const attempts = new AttackLog();
    for (const url of urls) {
      const status = await subscribe(url);
      attempts.record(`${url}: ${status}`, status !== 400);
    }
    attempts.requireNoneSuccessful();
    expect(await subscribe('https://93.184.216.34/')).toBe(201); // control: a public address
    recordGuarantee('G-20', `${attempts.tried} URLs, all refused`);
  });

  it('is impossible with a request to the RPC proxy [SEC-028]', async () => {
    const url = `http://127.0.0.1:${port}/`;
    const rpc = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };
    for (const fields of [
      { url },
      { host: url, rpcUrl: url },
      { params: [url] },
      { params: [{ to: url, url }] },
    ])
      await platform.as(null).post('/api/blockchain/rpc', { ...rpc, ...fields });
    for (const path of [`/api/blockchain/rpc?url=${url}`, `/api/blockchain/rpc?rpcUrl=${url}&target=${url}`])
      await platform.as(null).post(path, rpc, { headers: { 'x-forwarded-host': `127.0.0.1:${port}` } });
    expect(connectionCount).toBe(0);
  });

  it('would be detected by these tests: a connection to the local server is counted (control)', async () => {
    await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    expect(connectionCount).toBe(1);
  });
});
