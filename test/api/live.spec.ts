import { createConnection } from 'node:net';
import { ServedRequests, type ServedRequest } from '../../src/http/response/served-requests.js';
import { PUBLIC_ORIGIN_SETTING, liveSteps, type LiveSteps } from '../fixtures/live.js';
import { executeWithoutTriggers } from '../fixtures/ledger-corruption.js';
import { treasurySteps } from '../fixtures/treasury.js';
import { DESTINATION, UNKNOWN_ID } from '../fixtures/withdrawals.js';
import { sendRequest } from '../harness/http-client.js';
import { refusedUpgrade } from '../harness/live-client.js';
import { MetricsPage } from '../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const LISTED = 'https://app.example.com';

describe('Live delivery', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let url: string;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { CORS_ORIGINS: LISTED, INVESTMENT_APPROVAL_THRESHOLD: '1000.00' },
    });
    steps = liveSteps(platform);
    url = `${platform.baseUrl}/api/live`;
  });
  afterEach(() => steps.endAll());
  afterAll(() => platform.stop());

  describe('the way in', () => {
    it('is a ticket of 30 seconds that opens one connection [SEC-159]', async () => {
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
      expect(served).toMatchObject([{ method: 'GET', route: '/api/live', status: 401 }]); // the line of the log
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
      await platform.runJob('old-live-events');
      expect(await platform.dataSource.query('select from live_ticket')).toEqual([]);
    });

    it('is closed to a ticket whose session has ended, even with a valid header', async () => {
      const [user, other] = [await platform.given.user(), await platform.given.user()];
      const ticket = await steps.ticketOf(user);
      await platform.as(user).post('/api/auth/logout');
      const authorization = `Bearer ${other.token}`;
      expect(await refusedUpgrade(`${url}?ticket=${ticket}`, { authorization })).toMatchObject({
        status: 401,
        code: 'TOKEN_INVALID',
      });
    });

    it('is an access token for servers, and no cookie', async () => {
      const user = await platform.given.user();
      await steps.connect({ token: user.token });
      const login = await platform.as(user).get('/api/auth/user/profile');
      expect(login.status).toBe(200);
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

    it('is closed to web pages of origins that are not listed [SEC-160]', async () => {
      const user = await platform.given.user();
      for (const origin of ['https://evil.example.com', 'null', `${LISTED}.evil.example`]) {
        const refusal = await refusedUpgrade(url, { origin, authorization: `Bearer ${user.token}` });
        expect(refusal).toMatchObject({ status: 403, code: 'FORBIDDEN' });
        expect(refusal.headers.vary).toBe('Origin');
      }
      for (const origin of [LISTED, platform.env[PUBLIC_ORIGIN_SETTING] ?? 'http://localhost:3000'])
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
      expect([400, 404]).toContain(refusal.status);
      if (method === 'GET') expect(refusal).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
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
    });
  });

  describe('other Upgrade headers', () => {
    it('are ignored, and the request is served with its body', async () => {
      const user = await platform.given.user().withBalance('500.00');
      const body = JSON.stringify({ amount: '100.00', currency: 'USDC', toAddress: DESTINATION });
      const answer = await exchange(platform.baseUrl, [
        'POST /api/user/withdrawals HTTP/1.1',
        `Host: ${new URL(platform.baseUrl).host}`,
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
        `Authorization: Bearer ${user.token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        body,
      ]);
      expect(answer).toMatch(/^HTTP\/1\.1 201 /);
      expect(answer).toContain('"amount":"100.00"');
    });

    it('are ignored on several requests of one connection', async () => {
      const request = [
        'GET /api/ping HTTP/1.1',
        `Host: ${new URL(platform.baseUrl).host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        '',
        '',
      ];
      const answer = await exchange(platform.baseUrl, request, 3);
      expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    });
  });

  describe('for a user', () => {
    it('sends the event of the webhooks, the notification as listed and the balance as answered', async () => {
      const user = await platform.given.user().withBalance('500.10');
      const client = await steps.connect({ token: user.token });
      const { data: withdrawal } = await steps.withdraw(user);
      const events = await client.received(3);
      expect(client.types).toEqual(['withdrawal.requested', 'notification.created', 'balance.changed']);
      expect(events[0]?.data).toEqual({
        withdrawalId: withdrawal.id,
        status: 'pending',
        amount: '100.00',
        currency: 'USDC',
        toAddress: DESTINATION,
        txHash: null,
        reason: null,
        cancelledByUser: false,
        cancelledAt: null,
      });
      const { data: notifications } = await platform.as(user).get('/api/user/notifications');
      expect(events[1]?.data).toEqual(notifications[0]);
      const { total, available, invested, reserved } = (await platform.as(user).get('/api/user/balance')).data;
      expect(events[2]?.data).toEqual({ total, available, invested, reserved });
      expect(events[2]?.data).toEqual({
        total: '400.10',
        available: '400.10',
        invested: '0.00',
        reserved: '100.00',
      });
      for (const { id, at } of events) {
        expect(id).toEqual(expect.any(String));
        expect(at).toBe(platform.clock.now().toISOString());
      }
    });

    it('sends one balance for a transaction with several postings, and none for daily growth', async () => {
      const user = await platform.given.user().withBalance('500.00');
      const { data } = await platform
        .as(user)
        .post('/api/user/investments', { strategyId: 'balanced-10', amount: '100.00', currency: 'USDC' });
      const client = await steps.connect({ token: user.token });
      platform.clock.advance(3 * 86_400_000);
      await platform.runJob('nav-roll');
      await platform.as(user).delete(`/api/user/investments/${data.id}`);
      await client.received(3);
      await steps.flush(user, client);
      expect(client.types.filter((type) => type === 'balance.changed')).toHaveLength(1);
      expect(client.types).toContain('investment.closed');
    });

    it('sends nothing for refused requests and nothing twice for a repeated Idempotency-Key', async () => {
      const user = await platform.given.user().withBalance('150.00');
      const client = await steps.connect({ token: user.token });
      const headers = { 'idempotency-key': 'live-1' };
      expect((await steps.withdraw(user, headers)).status).toBe(201);
      expect((await steps.withdraw(user, headers)).status).toBe(201);
      expect((await steps.withdraw(user)).code).toBe('INSUFFICIENT_BALANCE');
      await steps.flush(user, client);
      expect(client.types).toEqual([
        'withdrawal.requested',
        'notification.created',
        'balance.changed',
        'notification.created',
      ]);
    });

    it('sends no event of another user [SEC-162]', async () => {
      const [ann, ben] = [
        await platform.given.user().withBalance('500.00'),
        await platform.given.user().withBalance('500.00'),
      ];
      const [ofAnn, ofBen] = [await steps.connect({ token: ann.token }), await steps.connect({ token: ben.token })];
      await steps.withdraw(ann);
      await steps.flush(ann, ofAnn);
      await steps.flush(ben, ofBen);
      expect(ofBen.types).toEqual(['notification.created']);
      expect(ofAnn.types).toHaveLength(4);
    });
  });

  describe('for an admin', () => {
    it('sends each event only with the permission to read it [SEC-161]', async () => {
      const user = await platform.given.user().withBalance('5000.00');
      const names = ['admin', 'operator', 'support', 'readonly'] as const;
      const clients = new Map<string, Awaited<ReturnType<LiveSteps['connect']>>>();
      for (const name of names) {
        const admin = await platform.given.admin(name);
        clients.set(name, await steps.connect({ ticket: await steps.ticketOf(admin, 'admin') }));
      }
      const { data: withdrawal } = await steps.withdraw(user);
      const { data: investment } = await platform
        .as(user)
        .post('/api/user/investments', { strategyId: 'balanced-10', amount: '1000.00', currency: 'USDC' });
      const admin = clients.get('admin');
      const [asked, pending] = (await admin?.received(2)) ?? [];
      expect(asked).toMatchObject({
        type: 'withdrawal.requested',
        data: { withdrawalId: withdrawal.id, userId: user.id, amount: '100.00' },
      });
      expect(pending).toMatchObject({
        type: 'investment.pending',
        data: { investmentId: investment.id, userId: user.id, amount: '1000.00' },
      });
      const operator = clients.get('operator');
      await operator?.received(2);
      const support = clients.get('support');
      await support?.received(1);
      expect(operator?.types).toEqual(['withdrawal.requested', 'investment.pending']);
      expect(support?.types).toEqual(['investment.pending']);
      expect(clients.get('readonly')?.types).toEqual([]);
    });

    it('sends a run that has found violated invariants to those who may read the audit log', async () => {
      const user = await platform.given.user().withBalance('50.00');
      const [admin, operator] = [
        await steps.connect({ token: (await platform.given.admin()).token }),
        await steps.connect({ token: (await platform.given.admin('operator')).token }),
      ];
      const change = (by: string) =>
        executeWithoutTriggers(
          platform,
          `update ledger_account set balance = balance + ${by} where owner_id = '${user.id}' and kind = 'user.available'`,
        );
      await change('5');
      await platform.as(await platform.given.admin()).get('/api/admin/integrity');
      await change('-5');
      const [event] = await admin.received(1);
      expect(event).toMatchObject({ type: 'integrity.violation', data: { runId: expect.any(String) } });
      const runs = await platform.as(await platform.given.admin()).get('/api/admin/integrity/runs');
      expect(runs.data.map(({ id }: { id: string }) => id)).toContain(event?.data.runId);
      expect(operator.types).toEqual([]);
    });

    it('sends the assignment of a request to the assignee alone, on re-assignment too', async () => {
      const treasury = await treasurySteps(platform);
      const [admin, admin2] = [
        await steps.connect({ token: treasury.admin.token }),
        await steps.connect({ token: treasury.admin2.token }),
      ];
      const { requestId } = await treasury.transferWithRequest();
      await treasury.assign(requestId, treasury.admin2.email);
      await treasury.assign(requestId, treasury.admin2.email); // changes nothing
      await treasury.assign(requestId, treasury.admin.email);
      expect(await admin.received(1)).toMatchObject([
        {
          type: 'transaction-request.assigned',
          data: { id: requestId, assignedTo: treasury.admin.email },
        },
      ]);
      expect(await admin2.received(1)).toMatchObject([
        { type: 'transaction-request.assigned', data: { id: requestId, assignedTo: treasury.admin2.email } },
      ]);
    });
  });

  it('reports its state and metrics', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token });
    const before = (await platform.as(null).get('/api/blockchain/websocket/status')).data;
    expect(before).toMatchObject({ enabled: true, status: 'available', path: '/api/live', connections: 1 });
    await steps.notify(user);
    await steps.flush(user, client);
    const after = (await platform.as(null).get('/api/blockchain/websocket/status')).data;
    expect(after.delivered - before.delivered).toBe(2);
    const page = await MetricsPage.fetch(platform.baseUrl);
    expect(page.value('live_connections')).toBe(1);
    expect(page.value('live_events_delivered_total')).toBe(after.delivered);
    expect(page.value('live_oldest_undelivered_milliseconds')).toBeGreaterThanOrEqual(0);
  });

  it('ends with the erasure of a user, whose events and tickets are deleted', async () => {
    const user = await platform.given.user();
    await steps.ticketOf(user);
    const client = await steps.connect({ token: user.token });
    await steps.flush(user, client);
    const admin = await platform.given.admin();
    const reply = await platform.as(admin).delete(`/api/admin/users/${user.id}?permanent=true`);
    expect(reply.status).toBe(200);
    expect(await client.closedWith()).toBe(4401);
    const [{ rows }] = await platform.dataSource.query(
      `select (select count(*) from live_event where recipient_id = $1)
            + (select count(*) from live_ticket where owner_id = $1) as rows`,
      [user.id],
    );
    expect(Number(rows)).toBe(0);
  });

  it('answers 404 for paths that do not exist, whatever they want to upgrade to', async () => {
    const reply = await sendRequest(`${platform.baseUrl}/api/live/${UNKNOWN_ID}`, { headers: {} });
    expect(reply.status).toBe(404);
  });
});

/** Sends raw HTTP on one connection, the next request after each answer, and returns what was received. */
async function exchange(baseUrl: string, lines: string[], times = 1): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = createConnection({ host: hostname, port: Number(port) });
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  for (let answers = 1; answers <= times; answers++) {
    socket.write(lines.join('\r\n'));
    await new Promise<void>((resolve, reject) => {
      const timeout = setTimeout(() => reject(new Error(`no answer; received: ${received}`)), 20_000);
      const look = setInterval(() => {
        if ((received.match(/HTTP\/1\.1 /g) ?? []).length < answers) return;
        clearInterval(look);
        clearTimeout(timeout);
        resolve();
      }, 10);
    });
  }
  await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  return received;
}
