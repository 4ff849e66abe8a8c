import { Money } from '../../../../common/money.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import type { WithdrawalEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import { bodyOf, depositEvent, investmentEvent, withdrawalEvent } from './event-payloads.js';

const COMMON = { userId: 'u', at: new Date('2026-03-02T10:00:00.000Z') };

const deposit: DepositEvent = {
  ...COMMON,
  name: 'deposit.held',
  depositId: 'd',
  currency: 'USDC',
  network: 'ERC20',
  amount: Money.of('20.123456789'),
  credited: null,
  txHash: '0xabc',
  fromAddress: null,
  toAddress: '0xdef',
  blockNumber: 7,
  confirmations: 12,
  gasUsed: '51234',
  gasPrice: '1.5',
  reason: 'Deposits below 500.00 wait until more arrives.',
};

const investment: InvestmentEvent = {
  ...COMMON,
  name: 'investment.partially-closed',
  investmentId: 'i',
  strategyId: 'balanced-10',
  strategyName: 'Balanced 10%',
  principal: Money.of('40'),
  growth: Money.of('-0.5'),
  fees: Money.of('0.1'),
  part: { number: 1, left: Money.of('60') },
};

const withdrawal: WithdrawalEvent = {
  ...COMMON,
  name: 'withdrawal.released',
  withdrawalId: 'w',
  amount: Money.of('50'),
  currency: 'USDC',
  toAddress: '0xdef',
  txHash: null,
  reason: null,
};

function amountsOf(event: InvestmentEvent): (string | null)[] {
  const { finalValue, initialInvestment, totalEarnings, withdrawnAmount } = investmentEvent(event).data;
  return [finalValue, initialInvestment, totalEarnings, withdrawnAmount];
}

describe('event payloads', () => {
  it('contain the amount of a deposit rounded down to six decimals, and not its owner', () => {
    expect(depositEvent(deposit)?.data).toEqual({
      depositId: 'd',
      status: 'confirming',
      amount: '20.123456',
      currency: 'USDC',
      network: 'ERC20',
      credited: null,
      txHash: '0xabc',
      fromAddress: null,
      toAddress: '0xdef',
      confirmations: 12,
      reason: 'Deposits below 500.00 wait until more arrives.',
    });
  });

  it('are undefined for a deposit that only its user has claimed', () => {
    expect(depositEvent({ ...deposit, name: 'deposit.claimed', onlyClaimed: true })).toBeUndefined();
  });

  it('contain the closed and the remaining principal of a partial closing', () => {
    expect(investmentEvent(investment).data).toEqual({
      investmentId: 'i',
      strategyId: 'balanced-10',
      amount: '40.00',
      currency: 'USDC',
      finalValue: '39.50', // 40.00 − 0.50
      initialInvestment: '40.00',
      totalEarnings: '-0.50',
      withdrawnAmount: '39.40', // 39.50 − 0.10
      fees: '0.10',
      growth: '-0.50',
      stillInvested: '60.00',
      reason: null,
      movedFrom: null,
      movedTo: null,
    });
  });

  it.each([
    // name, principal, growth, fees; finalValue, initialInvestment, totalEarnings, withdrawnAmount
    ['investment.closed', ['100', '2.5', '0.1'], ['102.50', '100.00', '2.50', '102.40']],
    ['investment.cancelled', ['100', '-3', '0'], ['97.00', '100.00', '-3.00', '97.00']],
    ['investment.rejected', ['100', '0', '0'], ['100.00', '100.00', '0.00', '100.00']],
    ['investment.created', ['100', '0', '0'], [null, null, null, null]],
    ['investment.approved', ['100', '0', '0'], [null, null, null, null]],
  ] as const)(
    'of %s have the amounts of the ending, or null if nothing has ended',
    (name, [principal, growth, fees], expected) => {
      const amounts = { principal: Money.of(principal), growth: Money.of(growth), fees: Money.of(fees) };
      expect(amountsOf({ ...investment, ...amounts, name })).toEqual(expected);
    },
  );

  it('have the value of the moved investment in both events of a move, and no amount that became available', () => {
    const moved = { from: 'Balanced 10%', to: 'Aggressive 20%' };
    const amounts = { growth: Money.of('2.5'), fees: Money.ZERO, moved };
    const closed = {
      ...investment,
      ...amounts,
      name: 'investment.closed',
      principal: Money.of('100'),
    } as const;
    const next = {
      ...investment,
      ...amounts,
      name: 'investment.moved',
      principal: Money.of('102.5'),
    } as const;
    for (const event of [closed, next])
      expect(amountsOf(event)).toEqual(['102.50', '100.00', '2.50', '0.00']);
  });

  it('report the status failed for a withdrawal whose amount was released', () => {
    expect(withdrawalEvent(withdrawal)).toMatchObject({
      type: 'withdrawal.released',
      data: { status: 'failed', amount: '50.00' },
    });
  });

  it.each([
    ['withdrawal.cancelled', { cancelledByUser: true, cancelledAt: COMMON.at.toISOString() }],
    ['withdrawal.rejected', { cancelledByUser: false, cancelledAt: null }],
  ] as const)('of %s state whether the user cancelled it', (name, data) => {
    expect(withdrawalEvent({ ...withdrawal, name })?.data).toMatchObject({ status: 'rejected', ...data });
  });

  it('are undefined for new confirmations of a deposit and for the approval and the return of a withdrawal', () => {
    expect(depositEvent({ ...deposit, name: 'deposit.confirming' })).toBeUndefined();
    expect(withdrawalEvent({ ...withdrawal, name: 'withdrawal.approved' })).toBeUndefined();
    expect(withdrawalEvent({ ...withdrawal, name: 'withdrawal.returned' })).toBeUndefined();
  });

  it('are sent with their type and time', () => {
    const body = bodyOf({ type: 'webhook.test', at: COMMON.at, data: { webhookId: 'a' } });
    expect(body).toBe(
      '{"type":"webhook.test","timestamp":"2026-03-02T10:00:00.000Z","data":{"webhookId":"a"}}',
    );
  });
});
