import pg from 'pg';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A withdrawal of a suspended or inactive user', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  const setStatus = async (user: TestUser, status: string) => {
    const change = { status, reason: 'Under review' };
    const reply = await platform.as(steps.admin).put(`/api/admin/users/${user.id}`, change);
    expect(reply.status).toBe(200);
  };
  const queued = async (id: string) =>
    (await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}/pending?limit=100`)).data.find(
      (withdrawal: { id: string }) => withdrawal.id === id,
    );

  it.each(['suspended', 'inactive'])(
    'shows the user status and cannot be approved, taken or executed while the user is %s',
    async (userStatus) => {
      const { id, ann } = await steps.createPending();
      const { id: approvedId } = (await steps.request(ann, '20.00')).data;
      await steps.approve(approvedId);
      expect(await queued(id)).toMatchObject({ userStatus: 'active' });
      await setStatus(ann, userStatus);
      expect(await queued(id)).toMatchObject({ userStatus });
      expect(await steps.detail(id)).toMatchObject({ userStatus });

      const before = await platform.ledgerState();
      const refusals = [
        { reply: await steps.approve(id), action: 'approve', status: 'pending', allowedFrom: ['pending'] },
        {
          reply: await steps.take(id),
          action: 'take',
          status: 'pending',
          allowedFrom: ['pending', 'approved'],
        },
        {
          reply: await steps.execute(approvedId),
          action: 'execute',
          status: 'approved',
          allowedFrom: ['approved'],
        },
      ];
      for (const { reply, action, status, allowedFrom } of refusals) {
        expect([reply.status, reply.code]).toEqual([422, 'INVALID_STATE']);
        expect(reply.body.error.details).toEqual({ status, action, allowedFrom, userStatus });
      }
      const bulk = await platform
        .as(steps.admin)
        .post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids: [id, approvedId] });
      expect(bulk.data.taken).toEqual([]);
      expect(bulk.data.failed.map(({ code }: { code: string }) => code)).toEqual([
        'INVALID_STATE',
        'INVALID_STATE',
      ]);
      expect(await platform.ledgerState()).toEqual(before);

      expect((await steps.reject(approvedId)).data).toMatchObject({ status: 'rejected', userStatus });
      await setStatus(ann, 'active');
      expect((await steps.take(id)).data).toMatchObject({ status: 'processing', userStatus: 'active' });
    },
  );

  it('can be completed if it was taken before the suspension', async () => {
    const { id, ann } = await steps.createProcessing();
    await setStatus(ann, 'suspended');
    expect((await steps.complete(id)).status).toBe(200);
  });

  it('cannot be taken or approved by requests that wait for the row of the user while a transaction suspends the user', async () => {
    const { id, ann } = await steps.createPending();
    const { id: otherId } = (await steps.request(ann, '20.00')).data;
    const client = new pg.Client(platform.env.DATABASE_URL);
    await client.connect();
    try {
      await client.query('begin');
      await client.query(`update platform_user set status = 'suspended' where id = $1`, [ann.id]);
      const replies = Promise.all([steps.take(id), steps.approve(otherId, admin2)]);
      await eventually(async () => expect((await client.query(LOCK_WAITS)).rows).toHaveLength(2));
      await client.query('commit');
      for (const reply of await replies)
        expect([reply.status, reply.body.error?.details.userStatus]).toEqual([422, 'suspended']);
    } finally {
      await client.end();
    }
  });

  it('is taken before a concurrent suspension or not at all', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, ann } = await steps.createPending();
      const [taken] = await Promise.all([steps.take(id), setStatus(ann, 'suspended')]);
      const { status } = await steps.detail(id);
      expect([taken.status, status]).toEqual(taken.status === 200 ? [200, 'processing'] : [422, 'pending']);
      expect((await steps.take(id)).status).toBe(422);
    }
  });
});
