import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const START = '2026-03-02T10:00:00.000Z';

describe('GET /api/user/investments/:id/quote', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  /** Users who invested 1000.00 in balanced-10, 31 days ago. Each test takes one. */
  let users: { ann: TestUser; id: string }[];

  beforeAll(async () => {
    const settings = {
      INVESTMENT_LOCK_DAYS: '40',
      INVESTMENT_APPROVAL_THRESHOLD: '5000.00',
      PERFORMANCE_FEE_PERCENT: '10',
    };
    platform = await startPlatform({ at: START, settings });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
    users = [];
    for (let user = 0; user < 6; user++) users.push(await steps.createForNewUser('1000.00'));
    steps.advanceDays(31);
  });
  afterAll(() => platform?.stop());

  const quote = (user: TestUser, id: string, query = '') =>
    platform.as(user).get(`${INVESTMENTS}/${id}/quote${query}`);

  const nextUser = () => users.shift() as { ann: TestUser; id: string };

  it('answers the payout of closing the whole investment even during the lock-up, and moves no money', async () => {
    const { ann, id } = nextUser();
    await quote(ann, id); // the first read after 31 days publishes the NAVs of these days
    const before = await platform.ledgerState();
    const reply = await quote(ann, id);
    expect(reply.status).toBe(200);
    expect(reply.data).toEqual({
      investmentId: id,
      amount: '1007.864477',
      finalValue: '1007.864477',
      initialInvestment: '1000.00',
      totalEarnings: '7.864477',
      withdrawnAmount: '1006.653373', // 1007.864477 − 0.424657 − 0.786447
      value: '1007.864477',
      principal: '1000.00',
      earnings: '7.864477',
      // 1000 × 0.50 % × 31 / 365, and 10 % of 7.864477
      fees: { managementFee: '0.424657', performanceFee: '0.786447', carriedFees: '0.00', gasFee: '0.00' },
      payout: '1006.653373',
      lockedUntil: '2026-04-11T10:00:00.000Z',
      at: '2026-04-02T10:00:00.000Z',
      validUntil: '2026-04-03T00:00:00.000Z',
    });
    expect(await platform.ledgerState()).toEqual(before);
    expect((await platform.as(ann).delete(`${INVESTMENTS}/${id}`)).code).toBe('INVESTMENT_LOCKED');
  });

  it('answers the payout of closing a part, which an admin’s closing then pays', async () => {
    const { ann, id } = nextUser();
    const { data } = await quote(ann, id, '?amount=100');
    expect(data).toMatchObject({
      amount: '100.00',
      value: '100.00',
      principal: '99.219689', // 1000 × 100 / 1007.864477
      earnings: '0.780311',
      // 99.219689 × 0.50 % × 31 / 365, and 10 % of 0.780311
      fees: { managementFee: '0.042134', performanceFee: '0.078031' },
      payout: '99.879835', // 100 − 0.042134 − 0.078031
    });
    const closed = await steps.close(id, '100');
    const { finalValue, initialInvestment, totalEarnings, fees, withdrawnAmount } = data;
    expect(closed.data).toMatchObject({
      finalValue,
      initialInvestment,
      totalEarnings,
      fees,
      withdrawnAmount,
      closedValue: data.value,
      closedPrincipal: data.principal,
      realisedEarnings: data.earnings,
    });
    expect([data.value, data.principal, data.earnings, data.payout]).toEqual([
      finalValue,
      initialInvestment,
      totalEarnings,
      withdrawnAmount,
    ]);
    expect((await quote(ann, id)).data.value).toBe('907.864477'); // 1007.864477 − 100
  });

  it('answers the same for the whole value as without an amount', async () => {
    const { ann, id } = nextUser();
    expect((await quote(ann, id, '?amount=1007.864477')).data).toEqual((await quote(ann, id)).data);
  });

  it('answers 422 to amounts that cannot be closed, and 400 to malformed amounts', async () => {
    const { ann, id } = nextUser();
    for (const amount of ['0', '0.00', '1007.864478', '999999999.00']) {
      const reply = await quote(ann, id, `?amount=${amount}`);
      expect([amount, reply.status, reply.code]).toEqual([amount, 422, 'INVALID_AMOUNT']);
    }
    expect((await quote(ann, id, '?amount=1007.864478')).body.error.details).toMatchObject({
      currentValue: '1007.864477',
      requested: '1007.864478',
    });
    expect((await quote(ann, id, '?amount=0.000001')).status).toBe(200);
    for (const amount of ['', '-1', '1e2', '0.0000001', 'all', '1&amount=2']) {
      const reply = await quote(ann, id, `?amount=${amount}`);
      expect([amount, reply.status, reply.code]).toEqual([amount, 400, 'INVALID_AMOUNT']);
    }
  });

  it('answers an error for a pending, foreign, unknown or closed investment', async () => {
    const { ann, id } = nextUser();
    const eve = await platform.given.user().withBalance('9000.00');
    const pending = await steps.create(eve, '5000.00');
    expect((await quote(eve, pending)).body.error).toMatchObject({
      code: 'INVALID_STATE',
      details: { status: 'pending', action: 'close' },
    });
    expect(await quote(eve, id)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    expect(await quote(eve, UNKNOWN_ID)).toMatchObject({ status: 404, code: 'INVESTMENT_NOT_FOUND' });
    await steps.close(id);
    const closing = await platform.as(ann).delete(`${INVESTMENTS}/${id}`);
    const { status, code } = await quote(ann, id);
    expect([status, code]).toEqual([closing.status, closing.code]);
    expect(code).toBe('INVESTMENT_ALREADY_CLOSED');
  });

  it('answers null as lockedUntil from the end of the lock-up on; the payout changes at validUntil, the next midnight', async () => {
    const { ann, id } = nextUser();
    platform.clock.moveTo('2026-04-11T09:59:59.999Z');
    expect((await quote(ann, id)).data.lockedUntil).toBe('2026-04-11T10:00:00.000Z');
    platform.clock.moveTo('2026-04-11T10:00:00.000Z');
    const { data } = await quote(ann, id);
    expect(data).toMatchObject({ lockedUntil: null, validUntil: '2026-04-12T00:00:00.000Z' });
    platform.clock.moveTo('2026-04-11T23:59:59.999Z');
    const lastOfDay = (await quote(ann, id)).data;
    expect(lastOfDay).toEqual({ ...data, at: '2026-04-11T23:59:59.999Z' });
    platform.clock.moveTo(lastOfDay.validUntil);
    expect((await quote(ann, id)).data.payout).not.toBe(data.payout);
  });
});
