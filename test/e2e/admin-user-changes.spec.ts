import type { Reply } from '../support/caller.js';
import type { TestAdmin, TestUser } from '../support/given.js';
import { InvestmentSteps } from '../support/investments.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';
import { startReplica } from '../support/replica.js';
import { Notices } from '../../src/database/notices.js';
import { eventually } from '../support/eventually.js';
import { NOBODYS, withdrawalSteps, type WithdrawalSteps } from '../support/withdrawals.js';

const PATH = '/api/admin/users';
const NOW = '2026-03-02T10:00:00.000Z';
const STATUSES = ['active', 'suspended', 'inactive'];

describe('What admins change of users', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let withdrawals: WithdrawalSteps;
  let investments: InvestmentSteps;
  let other: string;

  beforeAll(async () => {
    platform = await startPlatform();
    other = await startReplica(platform, {});
    withdrawals = await withdrawalSteps(platform);
    admin = withdrawals.admin;
    investments = new InvestmentSteps(platform);
    await eventually(async () => expect(platform.app.get(Notices).isCurrent).toBe(true));
  });
  afterAll(() => platform.stop());

  const change = (id: string, body: object, by = admin) => platform.as(by).put(`${PATH}/${id}`, body);
  const suspend = (id: string, more: object = {}) =>
    change(id, { status: 'suspended', reason: 'Fraud', ...more });
  const remove = (id: string, query = '') => platform.as(admin).delete(`${PATH}/${id}${query}`);
  const sql = (text: string, ...parameters: unknown[]) => platform.dataSource.query(text, parameters);
  const audited = (id: string) =>
    sql(
      `select actor, action, reason, before, after from audit_entry
        where subject_id = $1 and action <> 'user.create' order by id`,
      id,
    );
  const notesOf = (id: string) =>
    sql(
      `select priority, message from notification where user_id = $1 and type = 'security' order by id`,
      id,
    );
  const statusAt = async (user: TestUser, at: string) =>
    (await platform.as(user, at).get('/api/auth/user/profile')).code ?? 'welcome';
  /** What the user's token is answered everywhere a second later at the latest. */
  const becomes = (user: TestUser, answer: string) =>
    eventually(async () => {
      for (const at of [platform.baseUrl, other]) expect(await statusAt(user, at)).toBe(answer);
    }, 1000);

  describe('PUT', () => {
    it('suspends with a reason: shut out everywhere within a second, told, remembered, and back again', async () => {
      const ann = await platform.given.user();
      await becomes(ann, 'welcome');
      const { data } = await suspend(ann.id, { reason: ' Two accounts. ' });
      await becomes(ann, 'FORBIDDEN');
      const suspended = {
        status: 'suspended',
        reason: 'Two accounts.',
        changedAt: NOW,
        changedBy: admin.email,
      };
      expect(data).toEqual({
        id: ann.id,
        userId: ann.id,
        email: ann.email,
        status: 'suspended',
        updatedAt: NOW,
        updatedBy: admin.email,
        updatedProfile: {
          name: 'Test Person',
          preferences: { language: 'en', currency: 'USD', notifications: { email: true, push: true } },
        },
        statusHistory: [suspended],
      });
      platform.clock.advance(60_000);
      const { data: back } = await change(ann.id, { status: 'active' });
      await becomes(ann, 'welcome');
      expect(back.statusHistory).toEqual([
        { status: 'active', reason: null, changedAt: '2026-03-02T10:01:00.000Z', changedBy: admin.email },
        suspended,
      ]);
      platform.clock.moveTo(NOW);
      expect(await notesOf(ann.id)).toEqual([
        { priority: 'critical', message: 'Your account has been suspended. Reason: Two accounts.' },
        { priority: 'critical', message: 'Your account is active again.' },
      ]);
      const [first] = await audited(ann.id);
      expect(first).toEqual({
        actor: admin.email,
        action: 'user.change',
        reason: 'Two accounts.',
        before: { email: ann.email, status: 'active' },
        after: { email: ann.email, status: 'suspended', notifyUser: true },
      });
    });

    it.each(STATUSES)(
      'leads from %s to each status, and what is so already changes nothing',
      async (from) => {
        for (const to of STATUSES) {
          const { data } = await platform
            .as(admin)
            .post(PATH, { email: `${from}-to-${to}@example.org`, status: from });
          const reply = await change(data.id, { status: to, reason: 'Because' });
          expect(reply.data.status).toBe(to);
          const changes = from === to ? 0 : 1;
          expect(reply.data.statusHistory).toHaveLength(1 + changes); // the first stands for its making
          expect(await notesOf(data.id)).toHaveLength(changes);
          expect(await audited(data.id)).toHaveLength(changes);
        }
      },
    );

    it('says nothing to the user when it is told not to', async () => {
      const ann = await platform.given.user();
      await suspend(ann.id, { notifyUser: false });
      expect(await notesOf(ann.id)).toEqual([]);
    });

    it('changes the e-mail address, by which its owner signs in from now on', async () => {
      const ann = await platform.given.user();
      const { data } = await change(ann.id, { email: `New-${ann.email}` });
      expect(data).toMatchObject({ email: `new-${ann.email}`, status: 'active', statusHistory: [] });
      const detail = () => platform.as(admin).get(`${PATH}/${ann.id}`);
      expect((await detail()).data.emailVerified).toBe(false);
      expect((await platform.given.user(`new-${ann.email}`)).id).toBe(ann.id);
      expect((await detail()).data.emailVerified).toBe(true);
      expect((await platform.given.user(ann.email)).id).not.toBe(ann.id);
      expect(await notesOf(ann.id)).toEqual([]);
      const [entry] = await audited(ann.id);
      expect(entry).toMatchObject({ before: { email: ann.email }, after: { email: `new-${ann.email}` } });
    });

    it('refuses an e-mail address that is another user’s or an admin’s, and changes nothing else either', async () => {
      const [ann, bob] = [await platform.given.user(), await platform.given.user()];
      for (const email of [bob.email.toUpperCase(), 'operator@example.com']) {
        const reply = await change(ann.id, { email, status: 'inactive' });
        expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
        expect(reply.body.error.details[0].field).toBe('email');
      }
      expect(await audited(ann.id)).toEqual([]);
      expect(await statusAt(ann, platform.baseUrl)).toBe('welcome');
    });

    it('does nothing when nothing is asked, or when it is so already', async () => {
      const ann = await platform.given.user();
      for (const body of [{}, { email: ann.email }, { status: 'active', reason: 'Just so' }]) {
        const reply = await change(ann.id, body);
        expect(reply).toMatchObject({ status: 200, data: { status: 'active', statusHistory: [] } });
      }
      expect(await audited(ann.id)).toEqual([]);
    });

    it('of ten suspensions at once does one, whose reason stands', async () => {
      const ann = await platform.given.user();
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, n) => suspend(ann.id, { reason: `Number ${n}` })),
      );
      expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const reasons = new Set(replies.map(({ data }) => data.statusHistory[0].reason));
      expect(reasons.size).toBe(1);
      expect([await audited(ann.id), await notesOf(ann.id)].map((rows) => rows.length)).toEqual([1, 1]);
    });

    it('of two users who are given one e-mail address at once gives it to one', async () => {
      const users = [await platform.given.user(), await platform.given.user()];
      const email = `both-${users[0]?.email}`;
      const replies = await Promise.all(users.map(({ id }) => change(id, { email })));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    });

    it('keeps away from admins, whom the configuration lists', async () => {
      const [row] = await sql('select id from platform_user where email = $1', admin.email);
      for (const reply of [
        await suspend(row.id),
        await remove(row.id),
        await remove(row.id, '?permanent=true'),
      ])
        expect(reply).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    });

    it.each([
      [{ status: 'deleted' }, 'INVALID_STATUS'],
      [{ status: null }, 'INVALID_STATUS'],
      [{ status: 'suspended' }, 'REASON_REQUIRED'],
      [{ status: 'suspended', reason: '  ' }, 'REASON_REQUIRED'],
      [{ status: 'suspended', reason: null }, 'REASON_REQUIRED'],
      [{ email: 'nobody' }, 'INVALID_EMAIL'],
      [{ reason: 'x'.repeat(501) }, 'VALIDATION_ERROR'],
      [{ notifyUser: 'no' }, 'VALIDATION_ERROR'],
      [{ id: NOBODYS }, 'VALIDATION_ERROR'],
    ])('refuses %j', async (body, code) => {
      const { id } = await platform.given.user();
      expect(await change(id, body)).toMatchObject({ status: 400, code });
    });

    it('and DELETE know only users', async () => {
      for (const id of [NOBODYS, 'nobody']) {
        for (const reply of [await suspend(id), await remove(id), await remove(id, '?permanent=true')])
          expect(reply).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' });
      }
    });
  });

  describe('DELETE', () => {
    it('deactivates, and answers what the user has had', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      await platform.as(ann).post(`/api/user/investments/${await investments.made(ann, '200.00')}/cancel`);
      const { data } = await remove(ann.id);
      expect(data).toEqual({
        userId: ann.id,
        email: ann.email,
        status: 'inactive',
        permanent: false,
        deactivatedAt: NOW,
        deactivatedBy: admin.email,
        finalStats: { totalInvested: '200.00', totalWithdrawn: '0.00', totalEarnings: '0.00' },
      });
      await becomes(ann, 'FORBIDDEN');
      expect(await notesOf(ann.id)).toEqual([
        { priority: 'critical', message: 'Your account has been deactivated.' },
      ]);
      platform.clock.advance(60_000);
      expect((await remove(ann.id)).data).toEqual(data); // when it was done, and not when it was asked again
      platform.clock.moveTo(NOW);
      expect((await audited(ann.id)).map(({ action }: { action: string }) => action)).toEqual([
        'user.deactivate',
        'user.deactivate',
      ]);
    });

    it.each(['', '?permanent=true'])('%s is refused while investments are open', async (query) => {
      const ann = await platform.given.user().withBalance('1000.00');
      const id = await investments.made(ann, '200.00');
      const reply = await remove(ann.id, query);
      expect(reply).toMatchObject({ status: 422, code: 'ACTIVE_INVESTMENTS_EXIST' });
      expect(reply.body.error.details).toEqual({ activeInvestments: 1 });
      expect(await statusAt(ann, platform.baseUrl)).toBe('welcome');
      await platform.as(ann).delete(`/api/user/investments/${id}`);
      expect((await remove(ann.id)).status).toBe(200);
    });

    it('is refused while money is reserved for withdrawals, failed ones included', async () => {
      const { id, ann } = await withdrawals.processing('75.00');
      await withdrawals.fail(id);
      const reply = await remove(ann.id);
      expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(reply.body.error.details).toEqual({ status: 'active', action: 'delete', reserved: '75.00' });
    });

    it('and an investment at the same time: what comes first counts', async () => {
      for (let round = 0; round < 10; round++) {
        const ann = await platform.given.user().withBalance('100.00');
        const [removed, made] = await Promise.all([remove(ann.id), investments.invest(ann, '100.00')]);
        expect([200, 422]).toContain(removed.status);
        if (removed.status === 422) expect(made.status).toBe(201); // refused for an investment that is there
        const [{ open }] = await sql(
          'select count(*)::int as open from investment where user_id = $1',
          ann.id,
        );
        expect(open).toBe(made.status === 201 ? 1 : 0);
      }
    });

    it('permanently erases somebody without a history, every trace of them', async () => {
      const ann = await platform.given.user();
      await becomes(ann, 'welcome');
      await suspend(ann.id);
      await change(ann.id, { status: 'active' });
      await becomes(ann, 'welcome');
      const { data } = await remove(ann.id, '?permanent=true');
      expect(data).toMatchObject({ userId: ann.id, permanent: true, status: 'inactive', deactivatedAt: NOW });
      await becomes(ann, 'TOKEN_INVALID');
      const tables = await sql(
        `select table_name as name, column_name as field from information_schema.columns
          where table_schema = 'public' and column_name in ('user_id', 'owner_id', 'subject_id', 'caller')
            and table_name not in ('audit_entry', 'user_figures_anew')`,
      );
      expect(tables.length).toBeGreaterThan(8);
      for (const { name, field } of tables)
        expect([
          name,
          ...(await sql(`select 1 from ${name} where ${field}::text like $1`, `%${ann.id}`)),
        ]).toEqual([name]);
      expect(await platform.as(admin).get(`${PATH}/${ann.id}`)).toMatchObject({ code: 'USER_NOT_FOUND' });
      expect((await platform.given.user(ann.email)).id).not.toBe(ann.id);
    });

    it('never erases records of money: of the ledger, or an address to which money may come', async () => {
      const rich = await platform.given.user().withBalance('1.00');
      const reachable = await platform.given.user();
      await platform.as(reachable).get('/api/user/deposits/address?currency=USDT');
      const before = await platform.ledgerState();
      for (const user of [rich, reachable]) {
        const reply = await remove(user.id, '?permanent=true');
        expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
        expect(await statusAt(user, platform.baseUrl)).toBe('welcome'); // nothing was done
      }
      expect(await platform.ledgerState()).toEqual(before);
    });

    it.each(['permanent=yes', 'permanent=true&permanent=false'])('refuses ?%s', async (query) => {
      const { id } = await platform.given.user();
      expect(await remove(id, `?${query}`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    });
  });

  it('needs permission: support may look, and not write', async () => {
    const support = await platform.given.admin('support');
    const { id } = await platform.given.user();
    const replies: Reply[] = [
      await change(id, { status: 'inactive' }, support),
      await platform.as(support).post(PATH, { email: 'new@example.org' }),
      await platform.as(support).delete(`${PATH}/${id}`),
    ];
    for (const reply of replies) expect(reply).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    expect((await platform.as(support).get(`${PATH}/${id}`)).status).toBe(200);
  });
});
