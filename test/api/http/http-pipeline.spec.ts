import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parseResponses, type RawResponse } from '../../verification/hostile-input/sender.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import type { TestUser } from '../../fixtures/given.js';

// The shared HTTP pipeline: bodies, paths, headers and the envelope.

const POST_PATH = '/api/user/withdrawals';
const JSON_TYPE = { 'content-type': 'application/json' };
let platform: TestPlatform;
let user: TestUser;

beforeAll(async () => {
  platform = await startPlatform();
  user = await platform.given.user().withBalance('1000.00');
});
afterAll(() => platform?.stop());

const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  platform.as(user).call('POST', POST_PATH, body, { headers });
const get = (path: string, headers: Record<string, string> = {}) => platform.as(null).get(path, { headers });
const raw = (method: string, path: string) => sendRequest(platform.baseUrl + path, { method });

/** Writes raw bytes to a socket and returns the responses. */
async function exchange(bytes: string): Promise<RawResponse[]> {
  const { hostname, port } = new URL(platform.baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.end(bytes);
  return parseResponses(await buffer(socket));
}

describe('A request body', () => {
  it.each([
    ['a form', 'amount=10.00&currency=USDC', 'application/x-www-form-urlencoded'],
    ['plain text', '{"amount":"10.00"}', 'text/plain'],
    ['a different JSON type', '{"amount":"10.00"}', 'application/vnd.api+json'],
    ['JSON in UTF-16', '{"amount":"10.00"}', 'application/json; charset=utf-16'],
    ['a file', '--x\r\n\r\n--x--', 'multipart/form-data; boundary=x'],
  ])('that is %s is answered with 415 [SEC-049]', async (_, body, type) => {
    const before = await platform.ledgerState();
    expect(await post(body, { 'content-type': type })).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('that is compressed is answered with 415', async () => {
    const reply = await post('{}', { ...JSON_TYPE, 'content-encoding': 'gzip' });
    expect(reply).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it('above 100 kB is answered with 413, and the service stays available [SEC-021]', async () => {
    const reply = await post(JSON.stringify({ note: 'x'.repeat(100_000) }));
    expect(reply).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect((await get('/api/ping')).status).toBe(200);
  });

  it('of exactly 100 kB is read', async () => {
    const note = 'x'.repeat(100_000 - '{"note":""}'.length);
    expect(await post(JSON.stringify({ note }))).toMatchObject({ status: 400 }); // not 413: required fields are missing
  });

  it.each([
    ['malformed', '{"amount":"10.00"'],
    ['not JSON at all', 'amount: 10'],
    ['nested too deeply', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['with a repeated key', '{"amount":"10.00","amount":"900.00","currency":"USDC"}'],
    ['with __proto__', '{"amount":"10.00","__proto__":{"isAdmin":true}}'],
    ['with constructor', '{"amount":"10.00","constructor":{"prototype":{}}}'],
    ['with an unpaired surrogate', '{"amount":"10.00","currency":"USDC\\ud800"}'],
    ['with a NUL character', '{"amount":"10.00","currency":"USDC\\u0000"}'],
    ['of bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ])('(%s) is answered with 400 and a fixed message [SEC-051]', async (_, body) => {
    const reply = await post(body);
    expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(reply.body.error.details.fields).toEqual([
      {
        field: 'body',
        message:
          'is not valid JSON, or has duplicate or reserved keys, invalid characters or too deep nesting',
      }, // not the message of the parser
    ]);
  });

  it.each(['[]', '"text"', '7', 'null'])(
    'that is %s instead of an object is answered with 400',
    async (body) => {
      expect(await post(body)).toMatchObject({ status: 400 });
    },
  );

  it.each([
    'application/json; charset=UTF-8',
    'application/json;charset=utf8',
    'application/json ; version=1;',
  ])('of the type %s is accepted', async (type) => {
    const body = JSON.stringify({ amount: '10.00', currency: 'USDC', toAddress: `0x${'a'.repeat(40)}` });
    expect((await post(body, { 'content-type': type })).status).toBe(201);
  });
});

describe('A request path', () => {
  it('without a route is answered with 404 in the envelope, which does not repeat the path [SEC-041]', async () => {
    const reply = await get('/api/no-such-thing/secret-canary?x=secret-canary');
    expect(reply).toMatchObject({
      status: 404,
      body: { success: false, error: { code: 'NOT_FOUND', message: 'There is no such route.' } },
    });
    expect(JSON.stringify(reply.body)).not.toContain('canary');
    expect(Object.keys(reply.body as object).sort()).toEqual(
      ['error', 'spanId', 'success', 'timestamp', 'traceId', 'trace_id'].sort(),
    );
  });

  it('of a route with another method is answered with 404', async () => {
    expect(await platform.as(null).post('/api/ping', {})).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it.each([
    '/api/user/withdrawals/%00',
    '/api/ping?x=%00',
    '/api/%',
    '/api/%zz',
    '/api/ping?x=%ff',
    '/api/%c0%ae',
  ])('%s is answered with 400 [SEC-038]', async (path) => {
    expect(await get(path)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  it.each(['page=1&page=2', 'limit=20&limit=20', 'page=', 'page=0', 'limit=101', 'page=1e1'])(
    'with the query %s is answered with 400',
    async (query) => {
      const reply = await platform.as(user).get(`/api/user/transactions?${query}`);
      expect(reply).toMatchObject({ status: 400, code: 'INVALID_PAGINATION' });
    },
  );

  it('with the query page[0]=1 is answered with 400, because no parameter has this name', async () => {
    const reply = await platform.as(user).get('/api/user/transactions?page[0]=1');
    expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  it('with a repeated single-value parameter is answered with 400 [SEC-133]', async () => {
    const reply = await platform.as(user).get('/api/user/transactions?status=pending&status=completed');
    expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  it('answers HEAD like GET without a body', async () => {
    const response = await raw('HEAD', '/api/ping');
    expect(response.status).toBe(200);
    expect(response.text).toBe('');
    expect((await raw('HEAD', '/api/user/withdrawals')).status).toBe(401);
  });

  it('answers OPTIONS with 404 and no CORS headers', async () => {
    const response = await raw('OPTIONS', '/api/ping');
    expect(response.status).toBe(404);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.body.error.code).toBe('NOT_FOUND');
  });
});

describe('A request target that is a whole URL', () => {
  const answerTo = async (target: string) => {
    const [answer] = await exchange(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    return {
      status: answer?.status,
      headers: Object.fromEntries(answer?.headers ?? []),
      body: JSON.parse(answer?.text ?? ''),
    };
  };

  it('is answered as its path', async () => {
    const reply = await answerTo('http://x/api/health/live?a=1');
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
  });

  it.each(['http://xn--a/x', 'http://a:b/', 'x:', 'foo://bar'])(
    '%s is rejected in the envelope, with a traceparent',
    async (target) => {
      expect(await answerTo(target)).toMatchObject({
        status: 400,
        headers: { traceparent: expect.any(String), 'cache-control': expect.any(String) },
        body: { success: false, error: { code: 'VALIDATION_ERROR' } },
      });
    },
  );
});

describe('Malformed HTTP', () => {
  const ping = (headers: string) => `GET /api/ping HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;

  it.each([
    ['a header without a colon', ping('canary\r\n'), 400],
    ['a null byte in a header', ping('x: a\0b\r\n'), 400],
    ['two hosts', ping('Host: y\r\n'), 400],
    ['twice the same host', ping('HOST: x\r\n'), 400],
    ['two lengths', ping('content-length: 1\r\ncontent-length: 2\r\n'), 400],
    ['a length and a chunked body', ping('content-length: 1\r\ntransfer-encoding: chunked\r\n'), 400],
    ['a path with a space', 'GET /api/canary canary HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a path that is too long', `GET /api/${'canary'.repeat(5_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ['headers that are too long', ping(`x: ${'canary'.repeat(5_000)}\r\n`), 431],
    ['garbage', '\x16\x03\x01canary\r\n\r\n', 400],
  ])('with %s is rejected in the envelope, and the connection is closed', async (_, bytes, status) => {
    const [answer, ...others] = await exchange(bytes);
    expect(others).toEqual([]);
    expect(answer?.status).toBe(status);
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({
      success: false,
      error: { code: 'VALIDATION_ERROR', details: { fields: [{ field: 'request' }] } },
      timestamp: '2026-03-02T10:00:00.000Z',
    });
    expect(answer?.text).not.toContain('canary');
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    });
  });

  it('gets no response after earlier requests on the connection, whose responses stay intact', async () => {
    const answers = await exchange(`${ping('')}${ping('')}canary\r\n\r\n`);
    // The connection is closed at once: even the earlier requests may get no response.
    for (const { status, text } of answers) expect([status, JSON.parse(text).success]).toEqual([200, true]);
  });

  it('does not include an unknown value of the header Expect, which is ignored', async () => {
    expect((await exchange(ping('connection: close\r\nexpect: canary\r\n')))[0]).toMatchObject({
      status: 200,
    });
  });
});

describe('Every response', () => {
  const requests: [string, () => Promise<{ status: number; headers: Headers }>][] = [
    ['of a public route', () => get('/api/ping')],
    ['to a user', () => platform.as(user).get('/api/user/withdrawals')],
    ['that rejects a token', () => platform.as({ token: 'x' }).get('/api/user/withdrawals')],
    ['that rejects a body', () => post('{')],
    ['of an unknown route', () => get('/nothing')],
  ];

  it.each(requests)('%s is not cached and forbids active content [SEC-068]', async (_, send) => {
    const { headers } = await send();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';base-uri 'none';frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it.each(requests)('%s has a traceparent header', async (_, send) => {
    const { headers } = await send();
    expect(headers.get('traceparent')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('has status 200 and a body even if the request has the header If-None-Match', async () => {
    const reply = await get('/api/version', { 'if-none-match': '*' });
    expect([reply.status, reply.body.success]).toEqual([200, true]);
  });

  it('contains the trace id of the request’s traceparent header', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const done = await platform.as(user).get('/api/user/withdrawals', { headers: { traceparent } });
    expect(done.body).toMatchObject({ success: true, traceId });
    const refused = await get('/nothing', { traceparent });
    expect(refused.body).toMatchObject({ success: false, traceId, trace_id: traceId });
    expect(refused.headers.get('traceparent')).toBe(
      `00-${traceId}-${(refused.body as { spanId: string }).spanId}-01`,
    );
  });

  it('contains the time of the domain clock', async () => {
    const { body } = await platform.as(user).get('/api/user/withdrawals');
    expect((body as { timestamp: string }).timestamp).toBe('2026-03-02T10:00:00.000Z');
  });
});
