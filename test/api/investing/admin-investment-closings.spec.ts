import { ADMIN_INVESTMENTS, AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const START = '2026-03-02T10:00:00.000Z';

describe('POST /api/admin/investments/:id/close with an amount (partial closing)', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;

  beforeAll(async () => {
    platform = await startPlatform({
      at: START,
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '1000', INVESTMENT_LOCK_DAYS: '1' },
    });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin('admin'));
  });
  afterAll(() => platform?.stop());

  const recordsOf = async (user: TestUser) =>
    (await platform.as(user).get('/api/user/transactions?orderBy=asc')).data.map((record: any) => [
      record.type,
      record.metadata.balanceChange,
      record.metadata.referenceId,
    ]);

  it('pays out the part with its share of growth and fees while the remaining investment grows', async () => {
    const { id, ann } = await steps.createForNewUser('1000.00');
    await steps.approve(id);
    steps.advanceDays(10); // growth begins at the second midnight: 1000 × 1.1^(9/365) = 1002.352878

    const part = await steps.close(id, '250');
    expect(part).toMatchObject({
      status: 200,
      data: {
        investmentId: id,
        status: 'active',
        finalValue: '250.00',
        initialInvestment: '249.413161',
        totalEarnings: '0.586839',
        closedValue: '250.00',
        closedPrincipal: '249.413161', // 1000 × 250 / 1002.352878 = 249.4131612…, rounded down
        realisedEarnings: '0.586839', // 250 − 249.413161
        fees: { managementFee: '0.034166', performanceFee: '0.00', gasFee: '0.00' }, // 249.413161 × 0.50 % × 10 / 365
        withdrawnAmount: '249.965834', // 250 − 0.034166
        closedAt: platform.clock.now().toISOString(),
        investment: {
          id,
          amount: '750.586839', // 1000 − 249.413161
          currentValue: '752.352878', // 1002.352878 − 250
          totalEarnings: '2.352878', // unchanged: 1.766039 unrealised + 0.586839 realised
          roi: 0.2353, // percent: 100 × 2.352878 / 1000.00
        },
      },
    });
    expect(await steps.funds(ann)).toEqual({
      available: '9249.965834', // 10000 − 1000 + 249.965834
      invested: '750.586839',
      earnings: '0.586839',
      fees: '0.034166',
    });
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
    expect(await steps.latestNotification(ann)).toBe(
      'Part of your investment in Balanced 10% is closed. 249.965834 USDC are available again: ' +
        '249.413161 USDC principal, 0.586839 USDC earnings, 0.034166 USDC fees. 750.586839 USDC stay invested.',
    );

    steps.advanceDays(5);
    const whole = await steps.close(id);
    expect(whole).toMatchObject({
      status: 200,
      data: {
        status: 'completed',
        closedValue: '753.335805', // 752.352878 × 1.1^(5/365)
        closedPrincipal: '750.586839',
        realisedEarnings: '2.748966', // 753.335805 − 750.586839
        fees: { managementFee: '0.15423' }, // 750.586839 × 0.50 % × 15 / 365 = 0.1542301…
        withdrawnAmount: '753.181575', // 753.335805 − 0.154230
        investment: { status: 'completed', amount: '750.586839', totalEarnings: '3.335805' }, // 2.748966 + 0.586839
      },
    });
    expect(await recordsOf(ann)).toEqual([
      ['deposit', '10000.00', expect.any(String)],
      ['investment', '-1000.00', id],
      ['divestment', '249.413161', `${id}:1`],
      ['earning', '0.586839', `${id}:1`],
      ['fee', '-0.034166', `${id}:1`],
      ['divestment', '750.586839', id],
      ['earning', '2.748966', id],
      ['fee', '-0.15423', id],
    ]);
    const detail = await steps.adminDetail(id);
    expect(detail.closedParts).toEqual({
      count: 1,
      principal: '249.413161',
      earnings: '0.586839',
      fees: '0.034166',
    });
    expect(detail.ifClosedNow).toBeNull();
    expect(
      detail.lifecycle.map((step: any) => [step.event, step.status, step.finalValue, step.fees]),
    ).toEqual([
      ['created', 'pending', null, null],
      ['approved', 'active', null, null],
      ['partially_closed', 'active', '250.00', '0.034166'],
      ['closed', 'completed', '753.335805', '0.15423'],
    ]);
    expect((await steps.auditEntries(id)).slice(1)).toMatchObject([
      {
        action: 'investment.close',
        before: { status: 'active', amount: '1000.00' },
        after: { status: 'active', amount: '750.586839', redeemed: '250.00' },
      },
      { action: 'investment.close', after: { status: 'closed', redeemed: '753.335805' } },
    ]);
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('shows the user the remaining investment and its total earnings, with figures that add up', async () => {
    const { id, ann } = await steps.createForNewUser('900.00');
    steps.advanceDays(10);
    await steps.close(id, '302.117590'); // the whole is worth 900 × 1.1^(9/365) = 902.117590
    const shown = {
      amount: '598.591588', // 900 − 301.408412, which is 900 × 302.11759 / 902.11759 rounded down
      currentValue: '600.00', // 902.117590 − 302.117590
      totalEarnings: '2.11759', // 902.117590 − 900
      roi: 0.2353, // percent: 100 × 2.11759 / 900
    };
    expect(await steps.detail(ann, id)).toMatchObject({ ...shown, status: 'active' });
    const { data, summary } = await steps.list(ann);
    expect(data).toMatchObject([shown]);
    expect(summary).toEqual({
      totalInvested: '598.591588',
      totalCurrentValue: '600.00',
      totalEarnings: '1.408412', // 600 − 598.591588
      averageROI: 0.2353,
      activeInvestments: 1,
      // 302.117590 − 301.408412; 301.408412 × 0.50 % × 10 / 365 = 0.041288
      closed: { count: 0, principal: '301.408412', earnings: '0.709178', fees: '0.041288' },
    });
    const { data: performance } = await platform.as(ann).get(`${INVESTMENTS}/performance`);
    expect(performance.portfolio).toMatchObject({
      totalEarnings: '2.11759', // 1.408412 unrealised + 0.709178 realised
      realised: '0.709178',
      totalReturn: '2.076302', // 2.117590 less the fee: 301.408412 × 0.50 % × 10 / 365 = 0.041288
    });
    const { data: balance } = await platform.as(ann).get('/api/user/balance');
    expect(balance).toMatchObject({ invested: '598.591588', accruedEarnings: '1.408412' });
  });

  it('pays out only principal if the investment has not grown yet', async () => {
    const { id, ann } = await steps.createForNewUser('500.00');
    const part = await steps.close(id, '100.000001');
    expect(part.data).toMatchObject({
      closedPrincipal: '100.000001',
      realisedEarnings: '0.00',
      investment: { amount: '399.999999', currentValue: '399.999999', totalEarnings: '0.00' },
    });
    steps.advanceDays(2);
    // Growth begins at the second midnight: 399.999999 × 1.1^(1/365) = 400.1044621…
    expect((await steps.detail(ann, id)).currentValue).toBe('400.104462');
    await steps.requireBalanceRules(ann);
  });

  it('can leave an investment of 0.000001 USDC, which can be closed as well', async () => {
    const { id, ann } = await steps.createForNewUser('500.00');
    await steps.close(id, '499.999999');
    expect(await steps.adminDetail(id)).toMatchObject({ status: 'active', amount: '0.000001' });
    expect((await steps.close(id, '0.000001')).data.status).toBe('completed');
    expect(await steps.funds(ann)).toMatchObject({ available: '10000.00', invested: '0.00' });
    await steps.requireMatchingUnits();
  });

  it('closes the investment when the amount is its whole value, even during the user’s lock-up', async () => {
    const { id, ann } = await steps.createForNewUser('500.00');
    expect((await platform.as(ann).delete(`${INVESTMENTS}/${id}`)).code).toBe('INVESTMENT_LOCKED');
    expect((await steps.close(id, '500')).data).toMatchObject({
      status: 'completed',
      investment: { status: 'completed', currentValue: '500.00' },
    });
    expect((await steps.adminDetail(id)).lifecycle.at(-1)).toMatchObject({
      event: 'closed',
      by: 'admin@example.com',
    });
  });

  it('leaves an investment that its user may cancel or move', async () => {
    const toCancel = await steps.createForNewUser('900.00');
    const toMove = await steps.createForNewUser('900.00');
    steps.advanceDays(10);
    for (const { id } of [toCancel, toMove]) await steps.close(id, '302.117590');
    await platform.as(toCancel.ann).post(`${INVESTMENTS}/${toCancel.id}/cancel`);
    expect(await steps.detail(toCancel.ann, toCancel.id)).toMatchObject({
      status: 'cancelled',
      totalEarnings: '0.709178', // realised by the partial closing: 302.117590 − 301.408412
    });
    const moved = await steps.move(toMove.ann, toMove.id);
    expect(moved.data).toMatchObject({ amount: '600.00' }); // the remaining value: 902.117590 − 302.117590
    expect(await steps.adminDetail(toMove.id)).toMatchObject({ movedTo: moved.data.id });
    expect((await steps.adminDetail(toMove.id)).lifecycle.at(-1)).toMatchObject({ event: 'moved' });
    expect(await steps.adminDetail(moved.data.id)).toMatchObject({ movedFrom: toMove.id });
    for (const { ann } of [toCancel, toMove]) await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it.each([
    ['500.000001', 422, 'INVALID_AMOUNT'],
    ['0', 400, 'INVALID_AMOUNT'],
    ['0.00', 400, 'INVALID_AMOUNT'],
    ['-1', 400, 'INVALID_AMOUNT'],
    ['1e2', 400, 'INVALID_AMOUNT'],
    ['1.0000001', 400, 'INVALID_AMOUNT'],
    [100, 400, 'INVALID_AMOUNT'],
    [null, 400, 'INVALID_AMOUNT'],
  ])('rejects an amount of %j USDC', async (amount, status, code) => {
    const { id } = await steps.createForNewUser('500.00');
    const before = await platform.ledgerState();
    const refused = await platform.as(steps.admin).post(`${ADMIN_INVESTMENTS}/${id}/close`, { amount });
    expect(refused).toMatchObject({ status, code });
    if (status === 422)
      expect(refused.body.error.details).toMatchObject({ currentValue: '500.00', requested: '500.000001' });
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('rejects an unknown field, but closes the whole investment when there is no body', async () => {
    const { id } = await steps.createForNewUser('500.00');
    const path = `${ADMIN_INVESTMENTS}/${id}/close`;
    const misspelt = await platform.as(steps.admin).post(path, { ammount: '10' });
    expect(misspelt).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect((await platform.as(steps.admin).post(path)).data.status).toBe('completed');
  });
});
