import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('The lists of investments', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;

  beforeAll(async () => {
    platform = await startPlatform({
      at: '2026-03-02T10:00:00.000Z',
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '5000' },
    });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin('admin'));
  });
  afterAll(() => platform?.stop());

  it('show the final value and the payout of ended investments to their user and to admins', async () => {
    const ann = await platform.given.user().withBalance('20000.00');
    const closed = await steps.create(ann, '1000.00');
    const cancelled = await steps.create(ann, '200.00');
    const moved = await steps.create(ann, '300.00');
    const rejected = await steps.create(ann, '6000.00');
    const open = await steps.create(ann, '400.00');
    steps.advanceDays(8);
    const endedAt = platform.clock.now().toISOString();
    const { data: payout } = await platform.as(ann).delete(`${INVESTMENTS}/${closed}`);
    await platform.as(ann).post(`${INVESTMENTS}/${cancelled}/cancel`);
    const { data: next } = await steps.move(ann, moved);
    await steps.reject(rejected);

    const none = { finalValue: null, withdrawnAmount: null, endedAt: null };
    const expected = new Map<string, object>([
      // 1000 × (1.1^(7/365) − 1) = 1.829538; 1000 × 0.50 % × 8 / 365 = 0.109589
      [closed, { finalValue: '1001.829538', withdrawnAmount: '1001.719949', endedAt }],
      [cancelled, { finalValue: '200.00', withdrawnAmount: '200.00', endedAt }],
      [moved, { finalValue: next.amount, withdrawnAmount: '0.00', endedAt }],
      [rejected, { finalValue: '6000.00', withdrawnAmount: '6000.00', endedAt }],
      [open, none],
      [next.id, none],
    ]);
    expect(expected.get(closed)).toMatchObject({
      finalValue: payout.finalValue,
      withdrawnAmount: payout.withdrawnAmount,
    });
    const { data: ofUser } = await steps.list(ann);
    const listed = [...ofUser, ...(await steps.adminList(`?userId=${ann.id}`)).data];
    expect(listed.filter(({ id }) => id !== moved)).toHaveLength(2 * (expected.size - 1)); // each but the moved one, in both lists
    for (const { id, ...row } of listed) expect([id, row]).toMatchObject([id, expected.get(id)]);
    for (const [id, fields] of expected) {
      expect(await steps.detail(ann, id)).toMatchObject(fields);
      expect(await steps.adminDetail(id)).toMatchObject(fields);
    }
    for (const detail of [steps.adminDetail, (id: string) => steps.detail(ann, id)]) {
      expect(await detail(moved)).toMatchObject({ movedFrom: null, movedTo: next.id });
      expect(await detail(next.id)).toMatchObject({ movedFrom: moved, movedTo: null });
    }
  });

  it('find cancelled investments by their status', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await steps.create(ann, '100.00');
    const cancelled = await steps.create(ann, '200.00');
    await platform.as(ann).post(`${INVESTMENTS}/${cancelled}/cancel`);
    const found = [
      (await steps.list(ann, '&status=cancelled')).data,
      (await steps.adminList(`?userId=${ann.id}&status=cancelled`)).data,
    ];
    for (const rows of found) expect(rows.map(({ id }: { id: string }) => id)).toEqual([cancelled]);
  });
});
