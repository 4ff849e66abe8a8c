import { DAY_MS } from '../../../src/common/durations.js';
import { Money } from '../../../src/common/money.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

interface MovedInvestment {
  ann: TestUser;
  legs: any[];
}

describe('A moved investment', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  /** The URL of a second instance with a performance fee and a lock-up. */
  let withFeeAndLock: string;
  // Named after what their tests do with them; `charged` is moved on the instance with a performance fee.
  const closed = {} as MovedInvestment;
  const cancelled = {} as MovedInvestment;
  const partlyClosed = {} as MovedInvestment;
  const charged = {} as MovedInvestment;

  beforeAll(async () => {
    platform = await startPlatform({ at: '2026-03-02T10:00:00.000Z' });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
    withFeeAndLock = await startReplica(platform, {
      PERFORMANCE_FEE_PERCENT: Money.of('10'),
      INVESTMENT_LOCK_DAYS: 7,
    });
    await moveTwice([closed, cancelled, partlyClosed, charged]);
  });
  afterAll(() => platform?.stop());

  /** Invests 1000.00 in balanced-10, and moves it to aggressive-20 and conservative-5 after 31 days each. */
  async function moveTwice(investments: MovedInvestment[]): Promise<void> {
    const urlOf = (investment: MovedInvestment) => (investment === charged ? withFeeAndLock : undefined);
    for (const investment of investments) {
      investment.ann = await platform.given.user().withBalance('1000.00');
      investment.legs = [(await steps.invest(investment.ann, '1000.00')).data];
    }
    for (const strategyId of ['aggressive-20', 'conservative-5']) {
      steps.advanceDays(31);
      for (const investment of investments) {
        const { ann, legs } = investment;
        const { data } = await steps.move(ann, legs.at(-1).id, strategyId, urlOf(investment));
        legs.push(data);
      }
    }
  }

  it('carries the first principal and the fees of its legs, which are charged on closing', async () => {
    const { ann, legs } = closed;
    // 1000 × 1.1^(30/365), and this × 1.2^(30/365): a leg has no growth for its first day
    expect(legs).toMatchObject([
      { amount: '1000.00', firstPrincipal: '1000.00', carriedFees: '0.00' },
      { amount: '1007.864477', firstPrincipal: '1000.00', carriedFees: '0.424657' }, // 1000 × 0.50 % × 31 / 365
      { amount: '1023.081393', firstPrincipal: '1000.00', carriedFees: '0.852654' }, // plus 1007.864477 × 0.50 % × 31/365
    ]);
    expect((await steps.funds(ann)).fees).toBe('0.00');
    expect((await steps.list(ann)).data.at(-1)).toMatchObject({ carriedFees: '0.852654' });
    expect(await steps.adminDetail(legs[2].id)).toMatchObject({
      firstPrincipal: '1000.00',
      ifClosedNow: {
        fees: { managementFee: '0.00', carriedFees: '0.852654' },
        withdrawnAmount: '1022.228739',
      },
    });
    const { data } = await platform.as(ann).delete(`${INVESTMENTS}/${legs[2].id}`);
    expect(data).toMatchObject({
      initialInvestment: '1023.081393',
      firstPrincipal: '1000.00',
      finalValue: '1023.081393',
      withdrawnAmount: '1022.228739', // 1023.081393 − 0.852654
      fees: { managementFee: '0.00', performanceFee: '0.00', carriedFees: '0.852654', gasFee: '0.00' },
    });
    expect(await steps.funds(ann)).toMatchObject({ available: '1022.228739', fees: '0.852654' });
    await steps.requireIntegrity(ann);
  });

  it('posts the carried fees of its legs as management fees and performance fees on closing', async () => {
    const { ann, legs } = charged;
    expect(legs[2].carriedFees).toBe('3.160792'); // 0.852654 + 0.786447 (10 % of 7.864477) + 1.521691 (10 % of 15.216916)
    const revenueOf = async (fees: string) =>
      Money.of((await platform.as(steps.admin).get('/api/admin/dashboard/revenue')).data.summary[fees]);
    const managementBefore = await revenueOf('managementFees');
    const performanceBefore = await revenueOf('performanceFees');
    await platform.as(ann, withFeeAndLock).delete(`${INVESTMENTS}/${legs[2].id}`);
    expect((await revenueOf('managementFees')).minus(managementBefore).toWire()).toBe('0.852654');
    // 0.786447 + 1.521691: 10 % of 7.864477 and of 15.216916, each rounded down
    expect((await revenueOf('performanceFees')).minus(performanceBefore).toWire()).toBe('2.308138');
    await steps.requireIntegrity(ann);
  });

  it('returns the first principal when it is cancelled and reverses the growth of earlier legs', async () => {
    const { ann, legs } = cancelled;
    expect(await steps.funds(ann)).toMatchObject({ available: '0.00', earnings: '23.081393' });
    const { data } = await platform.as(ann).post(`${INVESTMENTS}/${legs[2].id}/cancel`);
    expect(data.message).toContain('1000.00 USDC');
    expect(await steps.funds(ann)).toEqual({
      available: '1000.00',
      invested: '0.00',
      earnings: '0.00',
      fees: '0.00',
    });
    const { data: records } = await platform.as(ann).get('/api/user/transactions?orderBy=desc&limit=2');
    expect(records.map(({ type, amount }: any) => `${type} ${amount}`).sort()).toEqual([
      'divestment 1023.081393',
      'earning -23.081393',
    ]);
    const { portfolio } = (await platform.as(ann).get(`${INVESTMENTS}/performance`)).data;
    expect(portfolio.totalReturn).toBe('0.00');
    await steps.requireIntegrity(ann);
  });

  it('is partially closed with the proportional first principal and carried fees', async () => {
    const { ann, legs } = partlyClosed;
    const part = await steps.close(legs[2].id, '255.770348'); // a quarter, less a quarter of a millionth
    expect(part.data).toMatchObject({
      closedPrincipal: '255.770348',
      fees: { managementFee: '0.00', carriedFees: '0.213163' }, // 0.852654 / 4, rounded down
      withdrawnAmount: '255.557185', // 255.770348 − 0.213163
      // 1023.081393 − 255.770348; 1000 − 249.999999 (1000 × 255.770348 / 1023.081393, rounded down);
      // 0.852654 − 0.213163
      investment: { amount: '767.311045', firstPrincipal: '750.000001', carriedFees: '0.639491' },
    });
    await steps.requireIntegrity(ann);
    const whole = await steps.close(legs[2].id);
    expect(whole.data.fees.carriedFees).toBe('0.639491'); // 0.852654 − 0.213163
    expect(await steps.funds(ann)).toMatchObject({ available: '1022.228739', fees: '0.852654' });
    await steps.requireIntegrity(ann);
  });

  it('can be neither closed nor cancelled during the lock-up, which begins with the first investment', async () => {
    const ann = await platform.given.user().withBalance('200.00');
    const [id, unmoved] = [await steps.create(ann, '100.00'), await steps.create(ann, '100.00')];
    const lockedUntil = new Date(platform.clock.now().getTime() + 7 * DAY_MS).toISOString();
    steps.advanceDays(5);
    const user = platform.as(ann, withFeeAndLock);
    const { data: next } = await steps.move(ann, id, 'aggressive-20', withFeeAndLock);
    const cancel = (investmentId: string) => user.post(`${INVESTMENTS}/${investmentId}/cancel`);
    for (const refused of [await user.delete(`${INVESTMENTS}/${next.id}`), await cancel(next.id)])
      expect(refused.body.error).toMatchObject({ code: 'INVESTMENT_LOCKED', details: { lockedUntil } });
    expect((await cancel(unmoved)).status).toBe(200); // the lock-up forbids cancelling only moved investments
    steps.advanceDays(2);
    expect((await cancel(next.id)).status).toBe(200);
    await steps.requireIntegrity(ann);
  });
});
