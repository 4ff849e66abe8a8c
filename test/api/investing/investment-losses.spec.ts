import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const START = '2026-03-02T10:00:00.000Z';

describe('A loss that is published for tomorrow', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  /** Each user invested 10000.00 in balanced-10 two days ago; the loss takes effect at the next midnight. */
  let users: { ann: TestUser; id: string }[];

  // Each test starts a platform, because published values of a strategy cannot be undone.
  beforeEach(async () => {
    const settings = { YIELD_TOLERANCE_PERCENT: '200' }; // otherwise the report would wait for an admin's decision
    platform = await startPlatform({ at: START, settings });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
    users = [];
    for (let user = 0; user < 2; user++) users.push(await steps.createForNewUser('10000.00'));
    // On 4 March the value is 10000 × 1.1^(1/365) = 10002.611579, on 5 March 10002.611579 × 0.5^(1/365) = 9983.634311.
    const report = { eventId: 'loss', strategyId: 'balanced-10', day: '2026-03-04', apy: '-50' };
    expect((await platform.app.get(YieldReportsService).record(report)).state).toBe('rate'); // the report sets the rate of 4 March
    steps.advanceDays(2);
  });
  afterEach(() => platform?.stop());

  const nextUser = () => users.shift() as { ann: TestUser; id: string };
  const cancel = (ann: TestUser, id: string) => platform.as(ann).post(`${INVESTMENTS}/${id}/cancel`);

  it('lowers the payout of closing, although the value of today is still shown', async () => {
    const { ann, id } = nextUser();
    expect((await steps.detail(ann, id)).currentValue).toBe('10002.611579');
    expect((await steps.adminDetail(id)).ifClosedNow).toMatchObject({ closedValue: '9983.634311' });
    const { status, data } = await platform.as(ann).delete(`${INVESTMENTS}/${id}`);
    expect(status).toBe(200);
    expect(data).toMatchObject({
      finalValue: '9983.634311',
      initialInvestment: '10000.00',
      totalEarnings: '-16.365689', // 9983.634311 − 10000
      withdrawnAmount: '9983.360339', // 9983.634311 − 0.273972
      fees: { managementFee: '0.273972', carriedFees: '0.00' }, // 10000 × 0.50 % × 2 / 365
    });
    expect(await steps.funds(ann)).toEqual({
      available: '9983.360339',
      invested: '0.00',
      earnings: '-16.365689',
      fees: '0.273972',
    });
    await steps.requireIntegrity(ann);
  });

  it('lowers the payout of cancelling and is recorded as negative earnings', async () => {
    const { ann, id } = nextUser();
    const { data } = await cancel(ann, id);
    expect(data.message).toContain('9983.634311 USDC');
    expect((await steps.funds(ann)).available).toBe('9983.634311');
    expect(await steps.detail(ann, id)).toMatchObject({
      status: 'cancelled',
      amount: '10000.00',
      currentValue: '9983.634311',
      totalEarnings: '-16.365689',
    });
    const { data: records } = await platform.as(ann).get('/api/user/transactions?orderBy=asc');
    expect(records.map(({ type, amount }: any) => `${type} ${amount}`)).toEqual([
      'deposit 10000.00',
      'investment 10000.00',
      'divestment 10000.00',
      'earning -16.365689',
    ]);
    expect(await steps.latestNotification(ann)).toBe(
      'Your investment of 10000.00 USDC in Balanced 10% is cancelled. ' +
        '9983.634311 USDC are available again: 10000.00 USDC principal, -16.365689 USDC earnings, 0.00 USDC fees.',
    );
    const { portfolio } = (await platform.as(ann).get(`${INVESTMENTS}/performance`)).data;
    expect(portfolio.totalReturn).toBe('-16.365689');
    await steps.requireIntegrity(ann);
  });

  it('reduces the value that is moved to another strategy', async () => {
    const { ann, id } = nextUser();
    expect((await steps.move(ann, id)).data).toMatchObject({
      amount: '9983.634311',
      firstPrincipal: '10000.00',
    });
    expect(await steps.detail(ann, id)).toMatchObject({ status: 'closed', currentValue: '9983.634311' });
    await steps.requireIntegrity(ann);
  });

  it('raises the principal that a partial closing takes, so that the remaining investment is closed for the remaining value', async () => {
    const { ann, id } = nextUser();
    const refused = await steps.close(id, '9983.634312');
    expect([refused.status, refused.code]).toEqual([422, 'INVALID_AMOUNT']);
    expect((await steps.close(id, '5000')).data).toMatchObject({
      closedValue: '5000.00',
      closedPrincipal: '5008.196258', // 10000 × 5000 / 9983.634311, rounded down
      realisedEarnings: '-8.196258', // 5000 − 5008.196258
      // 10000 − 5008.196258; today's value of it: 4991.803742 × 1.1^(1/365)
      investment: { amount: '4991.803742', firstPrincipal: '4991.803742', currentValue: '4993.107391' },
    });
    // 9983.634311 − 5000
    expect((await steps.adminDetail(id)).ifClosedNow).toMatchObject({ closedValue: '4983.634311' });
    await steps.requireIntegrity(ann);
    expect((await steps.close(id, '4983.634311')).data.status).toBe('completed');
    await steps.requireIntegrity(ann);
  });

  it('is borne by users who close or cancel after it took effect, but not by a user who invested on the day before it took effect', async () => {
    const [cancelled, closed] = [nextUser(), nextUser()];
    const late = await steps.createForNewUser('10000.00'); // invests at tomorrow's value
    steps.advanceDays(1);
    expect((await steps.detail(cancelled.ann, cancelled.id)).currentValue).toBe('9983.634311');
    await cancel(cancelled.ann, cancelled.id);
    await platform.as(closed.ann).delete(`${INVESTMENTS}/${closed.id}`);
    await cancel(late.ann, late.id);
    expect((await steps.funds(cancelled.ann)).available).toBe('9983.634311');
    expect((await steps.funds(closed.ann)).earnings).toBe('-16.365689');
    expect((await steps.funds(late.ann)).available).toBe('10000.00');
    await steps.requireIntegrity(cancelled.ann, closed.ann, late.ann);
  });

  it('is part of the value and the earnings of cancelled investments in the list for admins', async () => {
    const late = await steps.createForNewUser('10000.00'); // invests at tomorrow's value
    for (const { ann, id } of [...users, late]) await cancel(ann, id);
    const { data } = await steps.adminList('?status=cancelled&sortBy=currentValue&orderBy=asc');
    expect(data.map(({ currentValue }: any) => currentValue)).toEqual([
      '9983.634311',
      '9983.634311',
      '10000.00',
    ]);
    const { body } = await steps.adminList('?status=cancelled');
    expect(body.summary.totalEarnings).toBe('-32.731378'); // 2 × -16.365689
  });
});
