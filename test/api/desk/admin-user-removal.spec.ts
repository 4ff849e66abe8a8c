import { MINUTE_MS } from '../../../src/common/durations.js';
import { adminUserSteps, ADMIN_USERS, type AdminUserSteps } from '../../fixtures/admin-users.js';
import { eventually } from '../../harness/eventually.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { WEBHOOKS } from '../../fixtures/webhook-scenario.js';
import { WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';

const NOW = '2026-03-02T10:00:00.000Z';

describe('DELETE /api/admin/users/:id', () => {
  let platform: TestPlatform;
  let steps: AdminUserSteps;
  let withdrawals: WithdrawalSteps;
  let investments: InvestmentSteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await adminUserSteps(platform);
    withdrawals = new WithdrawalSteps(platform, steps.admin);
    investments = new InvestmentSteps(platform);
  });
  afterAll(() => platform?.stop());

  it('deactivates the user and returns final statistics', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await platform.as(ann).post(`/api/user/investments/${await investments.create(ann, '200.00')}/cancel`);
    const { data } = await steps.remove(ann.id);
    expect(data).toEqual({
      userId: ann.id,
      email: ann.email,
      status: 'inactive',
      permanent: false,
      deactivatedAt: NOW,
      deactivatedBy: steps.admin.email,
      finalStats: { totalInvested: '200.00', totalWithdrawn: '0.00', totalEarnings: '0.00' },
    });
    await steps.requireAnswerWithinASecond(ann, 'FORBIDDEN');
    expect(await steps.securityNotifications(ann.id)).toEqual([
      { priority: 'critical', message: 'Your account has been deactivated.' },
    ]);
    platform.clock.advance(MINUTE_MS);
    expect((await steps.remove(ann.id)).data).toEqual(data); // a repetition returns the time of the first deactivation
    platform.clock.moveTo(NOW); // the time that a later test expects
    expect((await steps.auditEntries(ann.id)).map(({ action }: { action: string }) => action)).toEqual([
      'user.deactivate',
    ]);
  });

  it.each(['', '?permanent=true'])(
    'with the query "%s" is rejected while the user has open investments',
    async (query) => {
      const ann = await platform.given.user().withBalance('1000.00');
      const id = await investments.create(ann, '200.00');
      const reply = await steps.remove(ann.id, query);
      expect(reply).toMatchObject({ status: 422, code: 'ACTIVE_INVESTMENTS_EXIST' });
      expect(reply.body.error.details).toEqual({ activeInvestments: 1 });
      expect(await steps.profileAnswer(ann)).toBe('welcome');
      await platform.as(ann).delete(`/api/user/investments/${id}`);
      expect((await steps.remove(ann.id)).status).toBe(200);
    },
  );

  it('is rejected while money is reserved for withdrawals, including failed ones', async () => {
    const { id, ann } = await withdrawals.createProcessing('75.00');
    await withdrawals.fail(id);
    const reply = await steps.remove(ann.id);
    expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect(reply.body.error.details).toEqual({
      status: 'active',
      action: 'delete',
      allowedFrom: [],
      reserved: '75.00',
    });
  });

  it('rejects either the removal or the investment when both arrive concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const ann = await platform.given.user().withBalance('100.00');
      const [removed, invested] = await Promise.all([
        steps.remove(ann.id),
        investments.invest(ann, '100.00'),
      ]);
      expect([
        [422, 201], // the removal is rejected because of the investment
        [200, 403], // the investment is rejected because the user is inactive
      ]).toContainEqual([removed.status, invested.status]);
      const [{ open }] = await steps.sql(
        'select count(*)::int as open from investment where user_id = $1',
        ann.id,
      );
      expect(open).toBe(invested.status === 201 ? 1 : 0);
    }
  });

  it('rejects investments and withdrawals whose requests were authenticated before the deactivation was committed', async () => {
    const ann = await platform.given.user().withBalance('100.00');
    const before = await platform.ledgerState();
    const runner = platform.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(`update platform_user set status = 'inactive' where id = $1`, [ann.id]);
    const begun = Promise.all([investments.invest(ann, '50.00'), withdrawals.request(ann, '50.00')]);
    await eventually(async () => {
      const waiting = await steps.sql(LOCK_WAITS);
      expect(waiting.length).toBeGreaterThanOrEqual(2);
    });
    await runner.commitTransaction();
    await runner.release();
    for (const reply of await begun) expect(reply).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('erases a user without financial history permanently from every table', async () => {
    const formerSession = await platform.given.user();
    await steps.requireAnswerWithinASecond(formerSession, 'welcome');
    await steps.suspend(formerSession.id);
    await steps.change(formerSession.id, { status: 'active' });
    const ann = await platform.given.user(formerSession.email); // the suspension has ended the former session
    await steps.requireAnswerWithinASecond(ann, 'welcome');
    await platform.as(ann).post(WEBHOOKS, { url: 'http://127.0.0.1/', events: ['deposit.seen'] });
    const { data } = await steps.remove(ann.id, '?permanent=true');
    expect(data).toMatchObject({ userId: ann.id, permanent: true, status: 'inactive', deactivatedAt: NOW });
    await steps.requireAnswerWithinASecond(ann, 'TOKEN_INVALID');
    // Audit entries are immutable; user_figures_recomputed is a view.
    const tables = await steps.sql(
      `select table_name as name, column_name as field from information_schema.columns
        where table_schema = 'public' and column_name in ('user_id', 'owner_id', 'subject_id', 'caller')
          and table_name not in ('audit_entry', 'user_figures_recomputed')`,
    );
    expect(tables.length).toBeGreaterThan(8); // the query has found the tables of users
    // `like`, because the caller of an idempotent request is stored with its type before the id.
    for (const { name, field } of tables) {
      const rows = await steps.sql(`select 1 from ${name} where ${field}::text like $1`, `%${ann.id}`);
      expect([name, rows]).toEqual([name, []]);
    }
    expect(await platform.as(steps.admin).get(`${ADMIN_USERS}/${ann.id}`)).toMatchObject({
      code: 'USER_NOT_FOUND',
    });
    expect((await platform.given.user(ann.email)).id).not.toBe(ann.id);
  });

  it('never erases a user with ledger entries or a deposit address', async () => {
    const withBalance = await platform.given.user().withBalance('1.00');
    const withAddress = await platform.given.user();
    await platform.as(withAddress).get('/api/user/deposits/address?currency=USDT');
    const before = await platform.ledgerState();
    for (const user of [withBalance, withAddress]) {
      const reply = await steps.remove(user.id, '?permanent=true');
      expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(await steps.profileAnswer(user)).toBe('welcome'); // the user is unchanged
    }
    expect(await platform.ledgerState()).toEqual(before);
  });

  it.each(['permanent=yes', 'permanent=true&permanent=false'])(
    'rejects ?%s with VALIDATION_ERROR',
    async (query) => {
      const { id } = await platform.given.user();
      expect(await steps.remove(id, `?${query}`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    },
  );
});
