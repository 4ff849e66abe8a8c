import { createConnection } from 'node:net';
import { ServedRequests, type ServedRequest } from '../../../src/http/response/served-requests.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { refusedUpgrade } from '../../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const LISTED = 'https://app.example.com';

describe('The upgrade to live delivery', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let url: string;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { CORS_ORIGINS: LISTED } });
    steps = liveSteps(platform);
    url = `${platform.baseUrl}/api/live`;
  });
  afterEach(() => steps.endAll());
  afterAll(() => platform?.stop());

  it('accepts a ticket once, within 30 seconds [SEC-159]', async () => {
    const user = await platform.given.user();
    const reply = await platform.as(user).post('/api/user/live/ticket');
    expect(reply.status).toBe(201);
    expect(reply.data).toEqual({ ticket: expect.any(String), expiresAt: expect.any(String) });
    const [{ seconds }] = await platform.dataSource.query(
      `select extract(epoch from $1::timestamptz - clock_timestamp())::float8 as seconds`,
      [reply.data.expiresAt],
    );
    expect(seconds).toBeLessThanOrEqual(30);
    const { ticket } = reply.data;
    const client = await steps.connect({ ticket });
    expect(client.messages).toEqual([
      { type: 'hello', at: platform.clock.now().toISOString(), data: { replayed: 0, complete: true } },
    ]);
    const served: ServedRequest[] = [];
    platform.app.get(ServedRequests).subscribe((request) => served.push(request));
    expect(await refusedUpgrade(`${url}?ticket=${ticket}`)).toMatchObject({
      status: 401,
      code: 'TOKEN_INVALID',
    });
    expect(served).toMatchObject([{ method: 'GET', route: '/api/live', status: 401 }]); // written to the log
    expect(JSON.stringify(served)).not.toContain(ticket);
  });

  it('stores tickets as hashes and refuses expired ones, which a job deletes', async () => {
    const user = await platform.given.user();
    const ticket = await steps.ticketOf(user);
    const rows = await platform.dataSource.query('select ticket_hash, owner_id from live_ticket');
    expect(rows).toMatchObject([{ owner_id: user.id }]);
    expect(JSON.stringify(rows)).not.toContain(ticket);
    await platform.dataSource.query('update live_ticket set expires_at = clock_timestamp()');
    expect((await refusedUpgrade(`${url}?ticket=${ticket}`)).code).toBe('TOKEN_INVALID');
    await platform.runJob('old-live-tickets');
    expect(await platform.dataSource.query('select from live_ticket')).toEqual([]);
  });

  it('refuses a ticket whose session has ended, also beside a valid Authorization header', async () => {
    const [user, other] = [await platform.given.user(), await platform.given.user()];
    const ticket = await steps.ticketOf(user);
    await platform.as(user).post('/api/auth/logout');
    const authorization = `Bearer ${other.token}`;
    expect(await refusedUpgrade(`${url}?ticket=${ticket}`, { authorization })).toMatchObject({
      status: 401,
      code: 'TOKEN_INVALID',
    });
  });

  it('accepts an access token in the Authorization header, and ignores cookies', async () => {
    const user = await platform.given.user();
    await steps.connect({ token: user.token });
    expect((await platform.as(user).get('/api/auth/user/profile')).status).toBe(200);
    expect(await refusedUpgrade(url, { cookie: `session=${user.token}` })).toMatchObject({
      status: 401,
      code: 'TOKEN_MISSING',
    });
    expect(await refusedUpgrade(url, { authorization: 'Bearer nonsense' })).toMatchObject({
      status: 401,
      code: 'TOKEN_INVALID',
      body: { success: false },
    });
  });

  it('refuses web pages of origins that are not listed [SEC-160]', async () => {
    const user = await platform.given.user();
    for (const origin of ['https://evil.example.com', 'null', `${LISTED}.evil.example`]) {
      const refusal = await refusedUpgrade(url, { origin, authorization: `Bearer ${user.token}` });
      expect(refusal).toMatchObject({ status: 403, code: 'FORBIDDEN' });
      expect(refusal.headers.vary).toBe('Origin');
    }
    for (const origin of [LISTED, platform.env.PUBLIC_URL ?? 'http://localhost:3000'])
      await steps.connect({ token: user.token, headers: { origin } });
  });

  it.each([
    ['a version other than 13', { 'sec-websocket-version': '8' }, 'GET'],
    ['no key', { 'sec-websocket-key': null }, 'GET'],
    ['a key of the wrong length', { 'sec-websocket-key': 'c2hvcnQ=' }, 'GET'],
    ['another method', {}, 'PUT'],
    ['no upgrade', { upgrade: null, connection: null }, 'GET'],
  ])('refuses a handshake with %s', async (_what, headers, method) => {
    const user = await platform.given.user();
    const refusal = await refusedUpgrade(url, { authorization: `Bearer ${user.token}`, ...headers }, method);
    if (method === 'GET') expect(refusal).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    else expect([400, 404]).toContain(refusal.status);
  });

  it('offers neither extensions nor subprotocols, and ignores unknown parameters', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({
      token: user.token,
      query: { unknown: '1' },
      headers: { 'sec-websocket-protocol': 'graphql-ws' },
      socket: { perMessageDeflate: true },
    });
    expect(client.headers['sec-websocket-extensions']).toBeUndefined();
    expect(client.headers['sec-websocket-protocol']).toBeUndefined();
    await steps.connect({ token: user.token, headers: { 'sec-websocket-protocol': 'malformed,,' } });
  });

  describe('differs from an Upgrade header on another route, which', () => {
    it('is ignored, and the request is served with its body', async () => {
      const user = await platform.given.user().withBalance('500.00');
      const body = JSON.stringify({ amount: '100.00', currency: 'USDC', toAddress: DESTINATION });
      const head = [
        'POST /api/user/withdrawals HTTP/1.1',
        `Host: ${new URL(platform.baseUrl).host}`,
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
        `Authorization: Bearer ${user.token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        '',
      ].join('\r\n');
      // The beginning of the body arrives with the headers, the rest later.
      const answer = await exchange(platform.baseUrl, [head + body.slice(0, 10), body.slice(10)]);
      expect(answer).toMatch(/^HTTP\/1\.1 201 /);
      expect(answer).toContain('"amount":"100.00"');
    });

    it('is ignored on several requests of one connection', async () => {
      const request = [
        'GET /api/ping HTTP/1.1',
        `Host: ${new URL(platform.baseUrl).host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        '',
        '',
      ].join('\r\n');
      const answer = await exchange(platform.baseUrl, [request], 3);
      expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    });
  });

  describe('can be one of several pipelined requests, which', () => {
    const statusesOf = (answers: string) => answers.match(/(?<=HTTP\/1\.1 )\d+/g);

    it.each([
      ['an Upgrade header on another route', [get('/api/ping'), get('/api/none', 'h2c')], ['200', '404']],
      [
        'two Upgrade headers on other routes',
        [get('/api/ping', 'h2c'), get('/api/none', 'h2c'), get('/api/ping')],
        ['200', '404', '200'],
      ],
      [
        'a refused upgrade to live delivery',
        [get('/api/ping'), get('/api/live', 'websocket')],
        ['200', '400'],
      ],
    ])('are answered in order if they include %s', async (_what, requests, statuses) => {
      const answers = await exchange(platform.baseUrl, [requests.join('')], 1, statuses.length);
      expect(statusesOf(answers)).toEqual(statuses);
    });
  });
});

/** The text of a request. */
function get(path: string, upgrade?: string): string {
  const upgradeLines = upgrade === undefined ? [] : ['Connection: Upgrade', `Upgrade: ${upgrade}`];
  return [`GET ${path} HTTP/1.1`, 'Host: localhost', ...upgradeLines, '', ''].join('\r\n');
}

/**
 * Sends `parts`, which are one or more requests, on one connection and waits for `answersEachTime` answers. Does both
 * `times` times and returns all answers.
 */
async function exchange(baseUrl: string, parts: string[], times = 1, answersEachTime = 1): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = createConnection({ host: hostname, port: Number(port) });
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  try {
    for (let round = 1; round <= times; round++) {
      for (const part of parts) {
        socket.write(part);
        // Makes separate packets probable; the answer is the same if the parts arrive together.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await eventually(async () => {
        const answers = received.match(/HTTP\/1\.1 /g) ?? [];
        expect(answers.length).toBeGreaterThanOrEqual(round * answersEachTime);
      });
    }
    await new Promise((resolve) => setImmediate(resolve)); // also reads data that has arrived meanwhile
    return received;
  } finally {
    socket.destroy();
  }
}
