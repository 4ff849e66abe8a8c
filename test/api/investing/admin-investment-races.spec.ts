import type { Reply } from '../../harness/http-client.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { repetitions } from '../../harness/repetitions.js';

describe('An investment that admins and users change at the same time', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { INVESTMENT_APPROVAL_THRESHOLD: '1000' } });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin('admin'));
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  const codes = (replies: Reply[]) => replies.map(({ code }) => code ?? 'done').sort();
  const createTenDaysOld = async () => {
    const created = await steps.createForNewUser('500.00');
    steps.advanceDays(10);
    return created;
  };

  it.each(['approve', 'reject'] as const)('lets exactly one of two admins %s it', async (verb) => {
    const { id, ann } = await steps.createForNewUser('1000.00');
    const replies = await Promise.all(
      [steps.admin, admin2].map((by) =>
        verb === 'approve' ? steps.approve(id, by) : steps.reject(id, 'No', by),
      ),
    );
    expect(codes(replies)).toEqual(['INVALID_STATE', 'done']);
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('lets either an approval or a rejection succeed when both arrive at once', async () => {
    for (let time = 0; time < repetitions(10); time++) {
      const { id, ann } = await steps.createForNewUser('1000.00');
      const [approved, rejected] = await Promise.all([steps.approve(id), steps.reject(id, 'No', admin2)]);
      expect(codes([approved, rejected])).toEqual(['INVALID_STATE', 'done']);
      const expectedStatus = approved.status === 200 ? 'active' : 'cancelled';
      expect((await steps.adminDetail(id)).status).toBe(expectedStatus);
      await steps.requireBalanceRules(ann);
    }
    await steps.requireMatchingUnits();
  });

  it('is closed as a whole by exactly one of two admins', async () => {
    const { id, ann } = await createTenDaysOld();
    const replies = await Promise.all([steps.close(id), steps.close(id, undefined, admin2)]);
    expect(codes(replies)).toEqual(['INVESTMENT_ALREADY_CLOSED', 'done']);
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('allows two concurrent partial closings that fit into its value', async () => {
    const { id, ann } = await createTenDaysOld();
    const replies = await Promise.all([steps.close(id, '200.00'), steps.close(id, '250.000001', admin2)]);
    expect(codes(replies)).toEqual(['done', 'done']);
    // Growth begins at the second midnight: 500 × 1.1^(9/365) = 501.176439, less 200 and 250.000001
    expect(await steps.adminDetail(id)).toMatchObject({ status: 'active', currentValue: '51.176438' });
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('rejects the second of two partial closings that together exceed its value', async () => {
    const { id, ann } = await createTenDaysOld();
    const replies = await Promise.all([steps.close(id, '300.00'), steps.close(id, '300.00', admin2)]);
    expect(codes(replies)).toEqual(['INVALID_AMOUNT', 'done']);
    const refused = replies.find(({ status }) => status === 422);
    // 501.176439 − 300.00 = 201.176439
    expect(refused?.body.error.details).toMatchObject({ currentValue: '201.176439', requested: '300.00' });
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('is completed by twenty concurrent partial closings of a twentieth each', async () => {
    const { id, ann } = await steps.createForNewUser('500.00');
    const replies = await Promise.all(Array.from({ length: 20 }, () => steps.close(id, '25.00')));
    expect(replies.map(({ data }) => data.status as string).sort()).toEqual([
      ...Array.from({ length: 19 }, () => 'active'),
      'completed',
    ]);
    expect(await steps.funds(ann)).toMatchObject({ available: '10000.00', invested: '0.00' });
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('keeps the ledger consistent when a partial closing races with the user’s close, cancel or move', async () => {
    const userActions = {
      close: (ann: { token: string }, id: string) => platform.as(ann).delete(`${INVESTMENTS}/${id}`),
      cancel: (ann: { token: string }, id: string) => platform.as(ann).post(`${INVESTMENTS}/${id}/cancel`),
      move: (ann: { token: string }, id: string) =>
        platform.as(ann).put(`${INVESTMENTS}/${id}`, { strategyId: 'aggressive-20' }),
    };
    for (const verb of Object.keys(userActions) as (keyof typeof userActions)[]) {
      for (let time = 0; time < repetitions(5); time++) {
        const { id, ann } = await createTenDaysOld();
        const [partReply, userReply] = await Promise.all([
          steps.close(id, '200.00'),
          userActions[verb](ann, id),
        ]);
        // The partial closing leaves a remainder, so the user's action succeeds in either order.
        expect(userReply.status).toBe(200);
        expect([undefined, 'INVESTMENT_ALREADY_CLOSED']).toContain(partReply.code);
        await steps.requireBalanceRules(ann);
      }
    }
    await steps.requireMatchingUnits();
  });

  it('allows partial closings that are concurrent with the change of day', async () => {
    const { id, ann } = await createTenDaysOld();
    expect((await steps.adminDetail(id)).currentValue).toBe('501.176439');
    const beforeMidnight = Array.from({ length: 8 }, () => steps.close(id, '10.00'));
    // One closing is committed on the old day; midnight passes while others may be in progress.
    await Promise.race(beforeMidnight);
    steps.advanceDays(1);
    const replies = await Promise.all([
      ...beforeMidnight,
      ...Array.from({ length: 8 }, () => steps.close(id, '10.00')),
    ]);
    expect(codes(replies)).toEqual(Array.from({ length: 16 }, () => 'done'));
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });
});
