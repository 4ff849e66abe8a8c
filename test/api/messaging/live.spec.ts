import { DAY_MS } from '../../../src/common/durations.js';
import { Money } from '../../../src/common/money.js';
import { beforeCommit, write } from '../../../src/database/statements.js';
import { UnitOfWork, type Tx } from '../../../src/database/unit-of-work.js';
import { move, userAccount } from '../../../src/modules/core/ledger/domain/chart-of-accounts.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { SessionsService } from '../../../src/modules/identity/auth/sessions.service.js';
import { CLOSE } from '../../../src/modules/messaging/live/live.types.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { API_KEYS, givenKey } from '../../fixtures/api-keys.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { CUSTODY, DEPOSIT_PROVIDER, testPosting } from '../../fixtures/ledger-fixtures.js';
import { treasurySteps } from '../../fixtures/treasury.js';
import { DESTINATION, UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { refusedUpgrade } from '../../harness/live-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const SESSION_ENDED = CLOSE.sessionEnded.code;

describe('Live delivery', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { INVESTMENT_APPROVAL_THRESHOLD: '1000.00' } });
    steps = liveSteps(platform);
  });
  afterEach(() => steps.endAll());
  afterAll(() => platform?.stop());

  describe('for a user', () => {
    it('sends the event of a withdrawal with the data of webhooks, the notification as in the list and the balance as in its route', async () => {
      const user = await platform.given.user().withBalance('500.10');
      const client = await steps.connect({ token: user.token });
      const { data: withdrawal } = await steps.withdraw(user);
      const events = await client.received(3);
      expect(client.types).toEqual(['withdrawal.requested', 'balance.changed', 'notification.created']);
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
      expect(events[2]?.data).toEqual(notifications[0]);
      const { total, available, invested, reserved } = (await platform.as(user).get('/api/user/balance'))
        .data;
      expect(events[1]?.data).toEqual({ total, available, invested, reserved });
      expect(events[1]?.data).toEqual({
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
      platform.clock.advance(3 * DAY_MS);
      await platform.runJob('nav-roll');
      await platform.as(user).delete(`/api/user/investments/${data.id}`);
      await client.received(3);
      await steps.flush(user, client);
      expect(client.types.filter((type) => type === 'balance.changed')).toHaveLength(1);
      expect(client.types).toContain('investment.closed');
    });

    it('sends the final balance last if two transactions change different accounts of the user at once', async () => {
      const user = await platform.given.user().withBalance('500.00');
      await steps.withdraw(user);
      const client = await steps.connect({ token: user.token });
      const [unitOfWork, ledger] = [platform.app.get(UnitOfWork), platform.app.get(LedgerService)];
      const available = userAccount(user.id, 'user.available');
      const credit = testPosting(move(Money.of('10.00'), DEPOSIT_PROVIDER, available));
      const reserved = userAccount(user.id, 'user.reserved');
      const payOut = testPosting(move(Money.of('40.00'), reserved, CUSTODY));
      // The holder delays the first transaction after it has inserted its events.
      const holder = platform.dataSource.createQueryRunner();
      await holder.startTransaction();
      await holder.query('select pg_advisory_xact_lock(1)');
      const waitForHolder = (tx: Tx) => write(tx, 'select pg_advisory_xact_lock(1)');
      const first = unitOfWork.runInTransaction(async (tx) => {
        await ledger.post(tx, credit);
        beforeCommit(tx, waitForHolder, undefined);
      });
      const expectLockWaits = async (count: number) =>
        expect((await platform.dataSource.query<unknown[]>(LOCK_WAITS)).length).toBeGreaterThanOrEqual(count);
      await eventually(() => expectLockWaits(1));
      let hasSecondEnded = false;
      const second = unitOfWork
        .runInTransaction((tx) => ledger.post(tx, payOut))
        .finally(() => (hasSecondEnded = true));
      // The second transaction ends or waits for the first one: the final balance has to be last in both cases.
      await eventually(async () => hasSecondEnded || expectLockWaits(2));
      await holder.rollbackTransaction();
      await holder.release();
      await Promise.all([first, second]);
      await steps.flush(user, client);
      const balances = client.events.filter(({ type }) => type === 'balance.changed');
      expect(balances.map(({ data }) => [data.available, data.reserved])).toEqual([
        ['410.00', '100.00'],
        ['410.00', '60.00'],
      ]);
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
        'balance.changed',
        'notification.created',
        'notification.created', // of `flush`
      ]);
    });

    it('sends no event of another user [SEC-162]', async () => {
      const [ann, ben] = [
        await platform.given.user().withBalance('500.00'),
        await platform.given.user().withBalance('500.00'),
      ];
      const [ofAnn, ofBen] = [
        await steps.connect({ token: ann.token }),
        await steps.connect({ token: ben.token }),
      ];
      await steps.withdraw(ann);
      await steps.flush(ann, ofAnn);
      await steps.flush(ben, ofBen);
      expect(ofBen.types).toEqual(['notification.created']); // of `flush`
      expect(ofAnn.types).toHaveLength(4); // three of the withdrawal, one of `flush`
    });
  });

  describe('for an API key', () => {
    it('opens by header and by ticket, sends the events of the key’s scopes, and ends when the key is revoked', async () => {
      const user = await platform.given.user().withBalance('500.00');
      const key = await givenKey(platform, user, { scopes: ['balance:read', 'withdrawals:read'] });
      const clients = [await steps.connect(key), await steps.connect({ ticket: await steps.ticketOf(key) })];
      const session = await steps.connect(user);
      await steps.withdraw(user);
      for (const client of clients) {
        await client.received(2);
        expect(client.types).toEqual(['withdrawal.requested', 'balance.changed']);
      }
      const after = clients[0]?.events[0]?.id as string;
      const replay = await steps.connect({ ...key, after });
      await replay.received(1);
      expect(replay.hello?.data).toEqual({ replayed: 1, complete: true });
      expect((await platform.as(user).delete(`${API_KEYS}/${key.id}`)).status).toBe(200);
      for (const client of [...clients, replay]) expect(await client.closedWith()).toBe(SESSION_ENDED);
      await steps.flush(user, session);
      expect(session.closed).toBeUndefined();
    });
  });

  describe('for an admin', () => {
    it('sends each event only to admins with the permission to read it [SEC-161]', async () => {
      const user = await platform.given.user().withBalance('5000.00');

      const clients = new Map<string, Awaited<ReturnType<LiveSteps['connect']>>>();
      for (const name of ['admin', 'operator', 'support', 'readonly'] as const) {
        const admin = await platform.given.admin(name);
        clients.set(name, await steps.connect({ ticket: await steps.ticketOf(admin, 'admin') }));
      }
      const { data: withdrawal } = await steps.withdraw(user);
      const { data: investment } = await platform
        .as(user)
        .post('/api/user/investments', { strategyId: 'balanced-10', amount: '1000.00', currency: 'USDC' });
      const admin = clients.get('admin');
      const [requested, pending] = (await admin?.received(2)) ?? [];
      expect(requested).toMatchObject({
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

    it('sends an integrity run with violated invariants to the admins with the permission to read the audit log', async () => {
      const user = await platform.given.user().withBalance('50.00');
      const [admin, operator] = [
        await steps.connect({ token: (await platform.given.admin()).token }),
        await steps.connect({ token: (await platform.given.admin('operator')).token }),
      ];
      const changeBalance = (by: string) =>
        executeWithoutTriggers(
          platform,
          `update ledger_account set balance = balance + ${by} where owner_id = '${user.id}' and kind = 'user.available'`,
        );
      await changeBalance('5');
      await platform.as(await platform.given.admin()).get('/api/admin/integrity');
      await changeBalance('-5');
      const [event] = await admin.received(1);
      expect(event).toMatchObject({ type: 'integrity.violation', data: { runId: expect.any(String) } });
      const runs = await platform.as(await platform.given.admin()).get('/api/admin/integrity/runs');
      expect(runs.data.map(({ id }: { id: string }) => id)).toContain(event?.data.runId);
      expect(operator.types).toEqual([]);
    });

    it('sends the assignment of a transaction request to its new assignee alone', async () => {
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
    expect(after.delivered - before.delivered).toBe(2); // one of `notify` and one of `flush`
    const page = await MetricsPage.fetch(platform.baseUrl);
    expect(page.value('live_connections')).toBe(1);
    expect(page.value('live_events_delivered_total')).toBe(after.delivered);
    expect(page.value('live_oldest_undelivered_milliseconds')).toBeGreaterThanOrEqual(0);
  });

  it('ends after a sign-out although the first check of its session fails', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token });
    const check = jest.spyOn(platform.app.get(SessionsService), 'listEndedSessions');
    check.mockRejectedValueOnce(new Error('no connection to the database'));
    expect((await platform.as(user).post('/api/auth/logout')).status).toBe(200);
    expect(await client.closedWith()).toBe(SESSION_ENDED);
    expect(check.mock.calls.length).toBeGreaterThan(1);
    check.mockRestore();
  });

  it('ends with the erasure of a user, whose events and tickets are deleted', async () => {
    const user = await platform.given.user();
    await steps.ticketOf(user);
    const client = await steps.connect({ token: user.token });
    await steps.flush(user, client);
    const admin = await platform.given.admin();
    const reply = await platform.as(admin).delete(`/api/admin/users/${user.id}?permanent=true`);
    expect(reply.status).toBe(200);
    expect(await client.closedWith()).toBe(SESSION_ENDED);
    const [{ rows }] = await platform.dataSource.query(
      `select (select count(*) from domain_event where user_id = $1::uuid)
            + (select count(*) from live_ticket where owner_id = $1::text) as rows`,
      [user.id],
    );
    expect(Number(rows)).toBe(0);
  });

  it('answers 404 to an upgrade of a path that does not exist', async () => {
    const refusal = await refusedUpgrade(`${platform.baseUrl}/api/live/${UNKNOWN_ID}`);
    expect(refusal).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});
