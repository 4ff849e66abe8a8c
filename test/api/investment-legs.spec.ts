import { AdminInvestmentSteps } from '../fixtures/admin-investments.js';
import type { TestUser } from '../fixtures/given.js';
import { INVESTMENTS } from '../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const START = '2026-03-02T10:00:00.000Z';

describe('A moved investment', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  afterEach(() => platform.stop());

  async function start(settings: Record<string, string> = {}): Promise<void> {
    platform = await startPlatform({ at: START, settings });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
  }

  /** 1000.00: a month in balanced-10, a month in aggressive-20, then in conservative-5. */
  async function movedTwice(): Promise<{ ann: TestUser; legs: [any, any, any] }> {
    const ann = await platform.given.user().withBalance('1000.00');
    const first = (await steps.invest(ann, '1000.00')).data;
    steps.advanceDays(31);
    const second = (await steps.move(ann, first.id, 'aggressive-20')).data;
    steps.advanceDays(31);
    const third = (await steps.move(ann, second.id, 'conservative-5')).data;
    return { ann, legs: [first, second, third] };
  }

  async function requireIntegrity(user: TestUser): Promise<void> {
    await steps.requireBalanceRules(user);
    await steps.requireMatchingUnits();
    const { status, laws } = (await platform.as(steps.admin).get('/api/admin/integrity')).data;
    expect([status, laws.filter((law: any) => law.status === 'broken')]).toEqual(['holds', []]);
  }

  it('carries the first principal and the fees of its legs, which are charged on closing', async () => {
    await start();
    const { ann, legs } = await movedTwice();
    expect(legs).toMatchObject([
      { amount: '1000.00', firstPrincipal: '1000.00', carriedFees: '0.00' },
      { amount: '1007.864477', firstPrincipal: '1000.00', carriedFees: '0.424657' }, // 1000 × 0.50 % × 31 / 365
      { amount: '1023.081393', firstPrincipal: '1000.00', carriedFees: '0.852654' }, // plus 0.427997
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
    await requireIntegrity(ann);
  });

  it('charges the performance fees of its legs to the account of performance fees', async () => {
    await start({ PERFORMANCE_FEE_PERCENT: '10' });
    const { ann, legs } = await movedTwice();
    expect(legs[2].carriedFees).toBe('3.160792'); // 0.852654, 10 % of 7.864477 and 10 % of 15.216916
    await platform.as(ann).delete(`${INVESTMENTS}/${legs[2].id}`);
    const { summary } = (await platform.as(steps.admin).get('/api/admin/dashboard/revenue')).data;
    expect(summary).toMatchObject({ managementFees: '0.852654', performanceFees: '2.308138' });
    await requireIntegrity(ann);
  });

  it('returns the first principal when it is cancelled and reverses the growth of earlier legs', async () => {
    await start();
    const { ann, legs } = await movedTwice();
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
    await requireIntegrity(ann);
  });

  it('is partially closed with the proportional first principal and carried fees', async () => {
    await start();
    const { ann, legs } = await movedTwice();
    const part = await steps.close(legs[2].id, '255.770348'); // a quarter, less a quarter of a millionth
    expect(part.data).toMatchObject({
      closedPrincipal: '255.770348',
      fees: { managementFee: '0.00', carriedFees: '0.213163' },
      withdrawnAmount: '255.557185',
      investment: { amount: '767.311045', firstPrincipal: '750.000001', carriedFees: '0.639491' },
    });
    await requireIntegrity(ann);
    const rest = await steps.close(legs[2].id);
    expect(rest.data.fees.carriedFees).toBe('0.639491'); // sum of both parts: 0.852654
    expect(await steps.funds(ann)).toMatchObject({ available: '1022.228739', fees: '0.852654' });
    await requireIntegrity(ann);
  });

  it('is locked by the date of the first investment, for closing and cancelling', async () => {
    await start({ INVESTMENT_LOCK_DAYS: '7' });
    const ann = await platform.given.user().withBalance('200.00');
    const [id, unmoved] = [await steps.create(ann, '100.00'), await steps.create(ann, '100.00')];
    steps.advanceDays(5);
    const { data: next } = await steps.move(ann, id);
    const close = () => platform.as(ann).delete(`${INVESTMENTS}/${next.id}`);
    const cancel = (investmentId: string) => platform.as(ann).post(`${INVESTMENTS}/${investmentId}/cancel`);
    for (const refused of [await close(), await cancel(next.id)])
      expect(refused.body.error).toMatchObject({
        code: 'INVESTMENT_LOCKED',
        details: { lockedUntil: '2026-03-09T10:00:00.000Z' },
      });
    expect((await cancel(unmoved)).status).toBe(200);
    steps.advanceDays(2);
    expect((await cancel(next.id)).status).toBe(200);
    await requireIntegrity(ann);
  });
});
