import { HOUR_MS } from '../../../src/common/durations.js';
import { Money } from '../../../src/common/money.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { SYSTEM } from '../../../src/modules/core/audit/audit.service.js';
import { WithdrawalPausesService } from '../../../src/modules/funds/withdrawals/withdrawal-pauses.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { newHash } from '../../fixtures/provider-callbacks.js';
import { treasurySteps } from '../../fixtures/treasury.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const PATH = '/api/user/limits';
const SENDER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe('GET /api/user/limits', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    const settings = {
      WITHDRAWAL_MINIMUM: '20.00',
      WITHDRAWAL_DAILY_LIMIT: '500.00',
      MINIMUM_DEPOSIT: '250.00',
      CONFIRMATIONS_ERC20: '3',
      SUSPENDED_STRATEGIES: 'aggressive-20',
      INVESTMENT_LOCK_DAYS: '7',
      MANAGEMENT_FEE_PERCENT: '0.625',
      PERFORMANCE_FEE_PERCENT: '10',
    };
    platform = await startPlatform({ settings });
    steps = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  const limits = async (user: TestUser, baseUrl?: string) =>
    (await platform.as(user, baseUrl).get(PATH)).data;
  const withdrawals = async (user: TestUser) => (await limits(user)).withdrawals;

  it('answers the limits of withdrawals, deposits and strategies', async () => {
    const user = await platform.given.user();
    const reply = await platform.as(user).get(PATH);
    expect(reply.status).toBe(200);
    const strategy = { lockDays: 7, managementFeePercent: 0.625, performanceFeePercent: 10, available: true };
    expect(reply.data).toEqual({
      tier: { id: 'standard', name: 'Standard' },
      windows: [{ window: 'day', limit: '500.00', used: '0.00', left: '500.00' }],
      withdrawals: {
        minimum: '20.00',
        dailyLimit: '500.00',
        usedToday: '0.00',
        available: '500.00',
        paused: false,
        pausedReason: null,
        addressBook: 'optional',
      },
      hold: null,
      locked: null,
      deposits: [
        { currency: 'USDC', network: 'TRC20', minimum: '250.00', confirmations: 20 },
        { currency: 'USDT', network: 'TRC20', minimum: '250.00', confirmations: 20 },
        { currency: 'USDC', network: 'ERC20', minimum: '250.00', confirmations: 3 },
        { currency: 'USDT', network: 'ERC20', minimum: '250.00', confirmations: 3 },
        { currency: 'ETH', network: 'ERC20', minimum: '0.00', confirmations: 3 },
        { currency: 'USDC', network: 'BEP20', minimum: '250.00', confirmations: 15 },
        { currency: 'USDT', network: 'BEP20', minimum: '250.00', confirmations: 15 },
      ],
      strategies: [
        { strategyId: 'conservative-5', minimum: '10.00', maximum: '1000000.00', ...strategy },
        { strategyId: 'balanced-10', minimum: '10.00', maximum: '1000000.00', ...strategy },
        {
          strategyId: 'aggressive-20',
          minimum: '10.00',
          maximum: '1000000.00',
          ...strategy,
          available: false,
        },
      ],
    });
  });

  it('answers the figures of the signed-in user, and refuses requests without a user', async () => {
    const [ann, eve] = [
      await platform.given.user().withBalance('100.00'),
      await platform.given.user().withBalance('100.00'),
    ];
    await steps.request(ann, '60.00');
    expect([(await withdrawals(ann)).usedToday, (await withdrawals(eve)).usedToday]).toEqual([
      '60.00',
      '0.00',
    ]);
    expect((await platform.as(null).get(PATH)).code).toBe('TOKEN_MISSING');
    expect((await platform.as(steps.admin).get(PATH)).status).toBe(403);
  });

  it('shows the setting of the address book', async () => {
    const replica = await startReplica(platform, { WITHDRAWAL_ADDRESS_BOOK: 'required' });
    const user = await platform.given.user();
    expect((await limits(user, replica)).withdrawals.addressBook).toBe('required');
  });

  describe('for withdrawals', () => {
    it('has the minimum below which a withdrawal is refused', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const { minimum } = await withdrawals(user);
      const refused = await steps.request(user, '19.999999');
      expect([refused.status, refused.code]).toEqual([422, 'INVALID_AMOUNT']);
      expect(refused.body.error.details).toMatchObject({ minimum });
      expect((await steps.request(user, minimum)).status).toBe(201);
    });

    it('has the figures of the daily limit that a refused withdrawal and the list for operators show', async () => {
      const user = await platform.given.user().withBalance('2000.00');
      const { id } = (await steps.request(user, '123.456789')).data;
      const { dailyLimit, usedToday, available } = await withdrawals(user);
      expect({ dailyLimit, usedToday, available }).toEqual({
        dailyLimit: '500.00',
        usedToday: '123.456789',
        available: '376.543211', // 500 − 123.456789
      });
      const refused = await steps.request(user, '376.543212');
      expect([refused.status, refused.code]).toEqual([422, 'WITHDRAWAL_LIMIT_EXCEEDED']);
      const [window] = (await limits(user)).windows;
      expect(window).toEqual({ window: 'day', limit: dailyLimit, used: usedToday, left: available });
      expect(refused.body.error.details).toEqual({
        window: 'day',
        limit: dailyLimit,
        used: usedToday,
        dailyLimit,
        usedToday,
        available,
      });
      const limitsForOperators = { dailyLimit, usedToday, remainingToday: available };
      expect((await steps.detail(id)).limits).toMatchObject(limitsForOperators);
      const { data: queue } = await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}/pending?limit=100`);
      expect(queue.find((row: { id: string }) => row.id === id).limits).toEqual(limitsForOperators);
      expect((await steps.request(user, available)).status).toBe(201);
      expect(await withdrawals(user)).toMatchObject({ usedToday: '500.00', available: '0.00' });
    });

    it('ignores the balance, counts the last 24 hours, and does not count rejected, cancelled and reversed withdrawals', async () => {
      const user = await platform.given.user().withBalance('400.00');
      const ids: string[] = [];
      for (const amount of ['20.00', '30.00', '50.00', '100.00'])
        ids.push((await steps.request(user, amount)).data.id);
      expect(await withdrawals(user)).toMatchObject({ usedToday: '200.00', available: '300.00' });
      const [cancelled = '', rejected = '', failed = ''] = ids;
      await steps.cancel(cancelled, user);
      await steps.reject(rejected);
      // 200 − 20 − 30
      expect(await withdrawals(user)).toMatchObject({ usedToday: '150.00', available: '350.00' });
      await steps.take(failed);
      await steps.fail(failed);
      expect(await withdrawals(user)).toMatchObject({ usedToday: '150.00' });
      const treasury = await treasurySteps(platform);
      const reversal = { type: 'reversal', withdrawalId: failed, amount: '50.00' };
      await treasury.confirm(await treasury.createApproved(reversal));
      expect(await withdrawals(user)).toMatchObject({ usedToday: '100.00' }); // 150 − 50
      platform.clock.advance(24 * HOUR_MS - 1);
      expect(await withdrawals(user)).toMatchObject({ usedToday: '100.00' });
      platform.clock.advance(1);
      expect(await withdrawals(user)).toMatchObject({ usedToday: '0.00', available: '500.00' });
    });

    it('never has less than zero available if the limit was lowered', async () => {
      const user = await platform.given.user().withBalance('400.00');
      await steps.request(user, '300.00');
      const replica = await startReplica(platform, { WITHDRAWAL_DAILY_LIMIT: Money.of('250.00') });
      expect((await limits(user, replica)).withdrawals).toMatchObject({
        dailyLimit: '250.00',
        usedToday: '300.00',
        available: '0.00',
      });
    });

    it('has a fixed sentence for the cause of a pause, and never the admin’s words [SEC-146]', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const [unitOfWork, pauses] = [platform.app.get(UnitOfWork), platform.app.get(WithdrawalPausesService)];
      const reasons: string[] = [];
      for (const by of [steps.admin, SYSTEM]) {
        await unitOfWork.runInTransaction((tx) =>
          pauses.pauseWithdrawals(tx, by, 'We suspect eve@example.org'),
        );
        const { paused, pausedReason } = await withdrawals(user);
        expect(paused).toBe(true);
        expect(pausedReason).toMatch(/^(The operators|An automatic check) .*\.$/);
        reasons.push(pausedReason);
        expect((await steps.request(user, '20.00')).code).toBe('WITHDRAWALS_PAUSED');
        await unitOfWork.runInTransaction((tx) => pauses.resumeWithdrawals(tx, by, 'Done', []));
      }
      expect(new Set(reasons).size).toBe(2);
      expect(await withdrawals(user)).toMatchObject({ paused: false, pausedReason: null });
      expect((await steps.request(user, '20.00')).status).toBe(201);
    });
  });

  it('has the minimum below which a claimed deposit is refused', async () => {
    const user = await platform.given.user();
    const { deposits } = await limits(user);
    const minimumOf = (currency: string) =>
      deposits.find((row: any) => row.currency === currency && row.network === 'ERC20').minimum;
    const claim = (currency: string, amount: string) =>
      platform
        .as(user)
        .post('/api/user/blockchain/deposit', { txHash: newHash(), amount, currency, fromAddress: SENDER });
    const refused = await claim('USDC', '249.999999');
    expect(refused).toMatchObject({ status: 400, code: 'INVALID_AMOUNT' });
    expect(refused.body.error.details).toMatchObject({ minimum: minimumOf('USDC') });
    expect((await claim('USDC', minimumOf('USDC'))).status).toBe(201);
    expect((await claim('ETH', minimumOf('ETH'))).code).toBe('INVALID_AMOUNT');
    expect((await claim('ETH', '0.000001')).status).toBe(201);
  });

  it('has the range, the lock-up and the availability by which investments are refused', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    const { strategies } = await limits(user);
    for (const { strategyId, minimum, maximum, available } of strategies) {
      const invest = (amount: string) => platform.as(user).post(INVESTMENTS, { strategyId, amount });
      expect((await invest('9.999999')).code).toBe('INVALID_AMOUNT');
      expect((await invest(maximum.replace('.00', '.000001'))).code).toBe('INVALID_AMOUNT');
      expect((await invest(maximum)).code).toBe(
        available ? 'INSUFFICIENT_BALANCE' : 'STRATEGY_NOT_AVAILABLE',
      );
      expect((await invest(minimum)).status).toBe(available ? 201 : 422);
    }
    const [{ id }] = (await platform.as(user).get(INVESTMENTS)).data;
    const close = () => platform.as(user).delete(`${INVESTMENTS}/${id}`);
    platform.clock.advance(strategies[0].lockDays * 24 * HOUR_MS - 1);
    expect((await close()).code).toBe('INVESTMENT_LOCKED');
    platform.clock.advance(1);
    expect((await close()).status).toBe(200);
  });
});
