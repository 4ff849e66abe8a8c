import { DAY_MS, HOUR_MS } from '../../../src/common/durations.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { violatedWithoutPause } from '../../fixtures/violations.js';
import {
  ADMIN_WITHDRAWALS,
  DESTINATION,
  UNKNOWN_ID,
  USER_WITHDRAWALS,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica, startReplicaWithoutPort } from '../../harness/replica.js';

const JOB = 'platform-limit';

describe('PLATFORM_WITHDRAWAL_PER_DAY', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let approvals: ApprovalSteps;

  beforeAll(async () => {
    const settings = { PLATFORM_WITHDRAWAL_PER_DAY: '1000.00', DEPOSIT_POLL_SECONDS: '3600' };
    platform = await startPlatform({ settings });
    steps = await withdrawalSteps(platform);
    approvals = await approvalSteps(platform);
  });
  afterAll(() => platform?.stop());
  /** Nothing of a former test is in the window, and nothing waits. */
  beforeEach(async () => {
    platform.clock.advance(2 * DAY_MS);
    for (const { id } of (await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}?status=pending&limit=100`))
      .data)
      await steps.reject(id);
  });

  const request = async (amount: string) => {
    const user = await platform.given.user().withBalance('100000.00');
    const { status, data } = await steps.request(user, amount);
    expect(status).toBe(201);
    return { user, id: data.id as string, isHeld: data.heldByPlatformLimit as boolean };
  };
  const isHeld = async (id: string) => (await steps.detail(id)).heldByPlatformLimit as boolean;
  const runJob = () => platform.runJob(JOB);

  it('lets requests through up to the limit, and holds further ones as pending [SEC-566]', async () => {
    expect((await request('600.00')).isHeld).toBe(false);
    expect((await request('400.00')).isHeld).toBe(false);
    const { id, user, isHeld: held } = await request('10.00');
    expect(held).toBe(true);
    const seenByUser = (await platform.as(user).get(`${USER_WITHDRAWALS}/${id}`)).data;
    expect(seenByUser).toMatchObject({ status: 'pending', heldByPlatformLimit: true });
    const { data: queue } = await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}/pending?limit=100`);
    expect(queue.find((row: { id: string }) => row.id === id)).toMatchObject({ heldByPlatformLimit: true });
    expect((await steps.detail(id)).lifecycle).toMatchObject([
      { action: 'request', status: 'pending' },
      { action: 'hold', status: 'pending', by: 'system' },
    ]);
  });

  it('keeps operators from taking and approving a held withdrawal, also in a bulk request and by SQL [SEC-567]', async () => {
    await request('1000.00');
    const { id } = await request('20.00');
    for (const reply of [await steps.take(id), await steps.approve(id)]) {
      expect([reply.status, reply.code]).toEqual([422, 'INVALID_STATE']);
      expect(reply.body.error.details).toMatchObject({ status: 'pending', heldBy: 'platform-limit' });
    }
    const several = await platform.as(steps.admin).post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids: [id] });
    expect(several.data).toMatchObject({ taken: [], failed: [{ id, code: 'INVALID_STATE' }] });
    for (const sql of [
      `update withdrawal set status = 'processing' where id = $1`,
      'update withdrawal set platform_held_at = null where id = $1',
    ])
      await expect(platform.dataSource.query(sql, [id])).rejects.toThrow(/platform_held/);
    expect(await isHeld(id)).toBe(true);
  });

  it('notifies the user when the withdrawal begins to wait and when it goes on, and tells admins in the feed of events', async () => {
    const titlesOf = async (user: TestUser): Promise<string[]> =>
      (await platform.as(user).get('/api/user/notifications?type=withdrawal')).data.map(
        ({ title }: { title: string }) => title,
      );
    const first = await request('1000.00');
    const { id, user } = await request('20.00');
    expect(await titlesOf(first.user)).toEqual(['Withdrawal requested']);
    expect(await titlesOf(user)).toEqual(['Withdrawal waits', 'Withdrawal requested']);
    await steps.reject(first.id);
    await runJob();
    expect(await isHeld(id)).toBe(false);
    expect(await titlesOf(user)).toEqual(['Withdrawal goes on', 'Withdrawal waits', 'Withdrawal requested']);
    for (const type of ['withdrawal-limit.held', 'withdrawal-limit.released']) {
      const { data } = await platform.as(steps.admin).get(`/api/admin/events?types=${type}&limit=100`);
      expect(data.events).toContainEqual(
        expect.objectContaining({
          userId: user.id,
          subject: { type: 'withdrawal', id },
          data: { withdrawalId: id, amount: '20.00' },
        }),
      );
    }
  });

  it('makes the integrity check report a withdrawal that is marked as released and has no step of a release', async () => {
    await request('1000.00');
    const { id } = await request('20.00');
    await platform.dataSource.query('update withdrawal set platform_released_at = created_at where id = $1', [
      id,
    ]);
    expect(await violatedWithoutPause(platform)).toEqual(['withdrawal-steps']);
    // Adds the missing step, so that the check passes in the following tests.
    await platform.dataSource.query(
      `insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
       select id, status, 'unhold', platform_released_at, 'system', 'system' from withdrawal where id = $1`,
      [id],
    );
  });

  it('lets the user cancel and an operator reject a held withdrawal', async () => {
    await request('1000.00');
    const cancelled = await request('20.00');
    const rejected = await request('20.00');
    expect((await steps.cancel(cancelled.id, cancelled.user)).data).toMatchObject({
      status: 'rejected',
      heldByPlatformLimit: false,
    });
    expect((await steps.reject(rejected.id)).data).toMatchObject({ heldByPlatformLimit: false });
    expect(await steps.funds(rejected.user)).toMatchObject({ available: '100000.00', reserved: '0.00' });
  });

  it('releases held withdrawals, the oldest first, when the window has room again', async () => {
    await request('700.00');
    platform.clock.advance(HOUR_MS);
    await request('300.00');
    const first = await request('650.00');
    const second = await request('100.00');
    expect([first.isHeld, second.isHeld]).toEqual([true, true]);
    platform.clock.advance(23 * HOUR_MS - 1);
    await runJob();
    expect([await isHeld(first.id), await isHeld(second.id)]).toEqual([true, true]);
    platform.clock.advance(1); // 24 hours after the first request
    await runJob();
    expect([await isHeld(first.id), await isHeld(second.id)]).toEqual([false, true]); // 300 + 650 + 100 > 1000
    expect((await steps.take(first.id)).status).toBe(200);
    platform.clock.advance(HOUR_MS);
    await runJob();
    expect(await isHeld(second.id)).toBe(false); // 650 + 100
    expect((await steps.detail(second.id)).lifecycle.at(-1)).toMatchObject({
      action: 'unhold',
      by: 'system',
    });
  });

  it('holds a request that would fit while an earlier one is held, unless the earlier one alone exceeds the limit', async () => {
    await request('900.00');
    const tooLarge = await request('1000.01');
    expect((await request('50.00')).isHeld).toBe(false); // 900 + 50
    const waiting = await request('100.00'); // 950 + 100
    expect([tooLarge.isHeld, waiting.isHeld]).toEqual([true, true]);
    expect((await request('10.00')).isHeld).toBe(true); // 950 + 10 would fit, but `waiting` was first
    platform.clock.advance(DAY_MS);
    await runJob();
    expect([await isHeld(tooLarge.id), await isHeld(waiting.id)]).toEqual([true, false]);
  });

  it('does not count rejected withdrawals', async () => {
    const { id } = await request('1000.00');
    const held = await request('500.00');
    await steps.reject(id);
    await runJob();
    expect(await isHeld(held.id)).toBe(false);
  });

  it('may be exceeded by a withdrawal that two admins release, which counts from then on [SEC-568]', async () => {
    await request('900.00');
    const { id } = await request('5000.00');
    const release = (admin = steps.admin, body: object = { reason: 'Announced by letter' }) =>
      platform.as(admin).post(`${ADMIN_WITHDRAWALS}/${id}/release`, body);
    expect((await release(steps.admin, {})).code).toBe('REASON_REQUIRED');
    expect((await release(steps.admin, { reason: 5 })).code).toBe('VALIDATION_ERROR');
    const requested = await release();
    expect([requested.status, requested.data]).toMatchObject([
      202,
      { kind: 'withdrawal.release', status: 'pending', change: { after: { heldByPlatformLimit: false } } },
    ]);
    expect((await steps.take(id)).code).toBe('INVALID_STATE');
    expect((await approvals.approve(requested.data.id, steps.admin)).code).toBe('FOUR_EYES_REQUIRED');
    expect((await approvals.approve(requested.data.id)).data).toMatchObject({ status: 'approved' });
    expect((await steps.detail(id)).lifecycle.at(-1)).toMatchObject({
      action: 'unhold',
      by: steps.admin.email,
      note: 'Announced by letter',
    });
    expect((await release()).code).toBe('INVALID_STATE');
    expect((await steps.take(id)).status).toBe(200);
    expect((await request('50.00')).isHeld).toBe(true); // 900 + 5000 + 50
    platform.clock.advance(DAY_MS);
    await runJob(); // releases the 50.00; the 900 and the 5000 are no longer in the window
    expect((await request('950.00')).isHeld).toBe(false); // 50 + 950
    const unknown = `${ADMIN_WITHDRAWALS}/${UNKNOWN_ID}/release`;
    expect((await platform.as(steps.admin).post(unknown, { reason: 'x' })).code).toBe('WITHDRAWAL_NOT_FOUND');
  });

  it('does not let an admin release or approve the release of a withdrawal that they have requested as a user', async () => {
    const user = await platform.given.user('trader@example.com');
    await listAdmin(platform, user.email); // before the deposit: ADMINS_FILE cannot name a user who owns money
    await platform.given.deposit(user.id, '5000.00');
    const { id } = (await steps.request(user, '2000.00')).data;
    const trader = await platform.given.admin('trader');
    const refused = { status: 403, code: 'FOUR_EYES_REQUIRED' };
    const release = (by: TestAdmin) =>
      platform.as(by).post(`${ADMIN_WITHDRAWALS}/${id}/release`, { reason: 'Mine' });
    expect(await release(trader)).toMatchObject(refused);
    const { data } = await release(steps.admin);
    expect((await approvals.approve(data.id, trader)).data).toMatchObject({
      status: 'failed',
      failure: { code: 'FOUR_EYES_REQUIRED' },
    });
    expect(await isHeld(id)).toBe(true);
  });

  it('raises an alert at 80 % and resolves it when less is used', async () => {
    const alerts = async () => {
      const { data } = await platform.as(steps.admin).get('/api/admin/alerts?status=open&limit=100');
      return data.filter(({ kind }: { kind: string }) => kind === 'platform-limit');
    };
    await request('799.99');
    await runJob();
    expect(await alerts()).toEqual([]);
    platform.clock.advance(DAY_MS);
    await request('800.00');
    await runJob();
    await runJob();
    expect(await alerts()).toMatchObject([
      { subject: { type: 'setting', id: 'PLATFORM_WITHDRAWAL_PER_DAY' } },
    ]);
    platform.clock.advance(DAY_MS);
    await runJob();
    expect(await alerts()).toEqual([]);
  });

  it('releases everything that waits once it is switched off', async () => {
    const { id } = await request('5000.00');
    const replica = await startReplicaWithoutPort(platform, { PLATFORM_WITHDRAWAL_PER_DAY: undefined });
    await replica.get(Jobs).get(JOB).runOnce();
    await replica.get(Jobs).get(JOB).end();
    expect(await isHeld(id)).toBe(false);
  });

  it('is kept by concurrent requests at two processes: exactly what fits is let through [SEC-569]', async () => {
    const other = await startReplica(platform);
    const users: TestUser[] = [];
    for (let i = 0; i < 40; i++) users.push(await platform.given.user().withBalance('100.00'));
    const body = { amount: '30.00', currency: 'USDC', toAddress: DESTINATION };
    const replies = await Promise.all(
      users.map((user, index) =>
        platform.as(user, index % 2 === 0 ? platform.baseUrl : other).post(USER_WITHDRAWALS, body),
      ),
    );
    expect(replies.filter(({ status }) => status !== 201).map(({ body }) => body.error)).toEqual([]);
    // 33 × 30.00 = 990.00
    expect(replies.filter(({ data }) => !data.heldByPlatformLimit)).toHaveLength(33);
  });
});
