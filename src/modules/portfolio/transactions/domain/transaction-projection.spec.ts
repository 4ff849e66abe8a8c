import { Money } from '../../../../common/money.js';
import type { DepositEvent } from '../../../funds/deposits/deposit.events.js';
import type { InvestmentEvent } from '../../../investing/investments/investment.events.js';
import type { WithdrawalEvent } from '../../../funds/withdrawals/withdrawal.events.js';
import {
  toDepositTransaction,
  toInvestmentTransactions,
  toWithdrawalTransaction,
} from './transaction-projection.js';
import { statusAfter } from './transaction-kinds.js';

const at = new Date('2026-03-02T10:00:00.000Z');

const deposit: DepositEvent = {
  name: 'deposit.seen',
  userId: 'u',
  at,
  depositId: 'd',
  currency: 'USDT',
  network: 'TRC20',
  amount: Money.of('600'),
  credited: null,
  txHash: '0xabc',
  fromAddress: null,
  toAddress: 'T',
  blockNumber: null,
  confirmations: 0,
  gasUsed: null,
  gasPrice: null,
  reason: null,
};

const investment: InvestmentEvent = {
  name: 'investment.created',
  userId: 'u',
  at,
  investmentId: 'i',
  strategyId: 'balanced-10',
  strategyName: 'Balanced 10%',
  principal: Money.of('100'),
  growth: Money.ZERO,
  fees: Money.ZERO,
};

const withdrawal: WithdrawalEvent = {
  name: 'withdrawal.requested',
  userId: 'u',
  at,
  withdrawalId: 'w',
  amount: Money.of('50'),
  currency: 'USDC',
  toAddress: '0x1',
  txHash: null,
  reason: null,
};

const summaryOf = (record: { amount: Money; currency: string; balanceChange: Money }) =>
  `${record.amount.toWire()} ${record.currency}, balance ${record.balanceChange.toWire()}`;

describe('toDepositTransaction', () => {
  it.each([
    ['deposit.claimed', 'pending'],
    ['deposit.seen', 'pending'],
    ['deposit.confirming', 'pending'],
    ['deposit.held', 'pending'],
    ['deposit.covered', 'cancelled'],
    ['deposit.completed', 'completed'],
    ['deposit.failed', 'failed'],
  ] as const)('after %s returns a record with the status %s', (name, status) => {
    expect(statusAfter(toDepositTransaction({ ...deposit, name }).verb)).toBe(status);
  });

  it('shows the amount received until the deposit is credited and the amount credited afterwards', () => {
    expect(summaryOf(toDepositTransaction(deposit))).toBe('600.00 USDT, balance 0.00');
    const completed = toDepositTransaction({
      ...deposit,
      name: 'deposit.completed',
      credited: Money.of('599.4'),
    }); // 600 USDT at a rate of 0.999
    expect(summaryOf(completed)).toBe('599.40 USDC, balance 599.40');
    expect(completed.description).toBe('Deposit of 600.00 USDT over TRC20');
  });

  it('omits dust below the sixth decimal', () => {
    const dusty = toDepositTransaction({
      ...deposit,
      currency: 'USDC',
      network: 'BEP20',
      amount: Money.of('5.000000999'),
    });
    expect(summaryOf(dusty)).toBe('5.00 USDC, balance 0.00');
  });

  it('keeps the decimals of ether and does not change the balance', () => {
    const amount = Money.of('0.123456789012345678');
    const ether = toDepositTransaction({
      ...deposit,
      name: 'deposit.completed',
      currency: 'ETH',
      amount,
      credited: amount,
    });
    expect(ether.amount.equals(amount)).toBe(true);
    expect(ether.currency).toBe('ETH');
    expect(ether.balanceChange.isZero()).toBe(true);
  });

  it('states the hold reason in the timeline', () => {
    expect(
      toDepositTransaction({ ...deposit, name: 'deposit.held', reason: 'Below the minimum of 500.00.' })
        .stepDescription,
    ).toBe('Below the minimum of 500.00.');
  });
});

describe('toWithdrawalTransaction', () => {
  it.each([
    ['withdrawal.requested', 'pending', '-50.00'],
    ['withdrawal.approved', 'pending', '-50.00'],
    ['withdrawal.taken', 'processing', '-50.00'],
    ['withdrawal.returned', 'pending', '-50.00'],
    ['withdrawal.completed', 'completed', '-50.00'],
    ['withdrawal.cancelled', 'cancelled', '0.00'],
    ['withdrawal.rejected', 'failed', '0.00'],
    ['withdrawal.failed', 'failed', '-50.00'], // stays reserved until a reversal
  ] as const)(
    'after %s returns a record with the status %s that has changed the balance by %s',
    (name, status, change) => {
      const record = toWithdrawalTransaction({ ...withdrawal, name });
      expect(statusAfter(record.verb)).toBe(status);
      expect(record.balanceChange.toWire()).toBe(change);
    },
  );

  it('returns a reversal if the amount of a failed withdrawal is released', () => {
    const reversal = toWithdrawalTransaction({ ...withdrawal, name: 'withdrawal.released' });
    expect([reversal.type, statusAfter(reversal.verb), summaryOf(reversal)]).toEqual([
      'reversal',
      'completed',
      '50.00 USDC, balance 50.00', // with the record of the withdrawal −50.00 + 50.00 = 0.00
    ]);
  });
});

describe('toInvestmentTransactions', () => {
  const records = (event: Partial<InvestmentEvent>) =>
    toInvestmentTransactions({ ...investment, ...event }).map(
      (record) => `${record.type} ${summaryOf(record)}`,
    );

  it('returns the principal of a new investment', () => {
    expect(records({})).toEqual(['investment 100.00 USDC, balance -100.00']);
  });

  it('returns no record for an approval, which moves no money', () => {
    expect(records({ name: 'investment.approved' })).toEqual([]);
  });

  it('refers to a partial closing by the id of the investment and the number of the closing', () => {
    const part = { number: 2, left: Money.of('60') };
    const partRecords = toInvestmentTransactions({
      ...investment,
      name: 'investment.partially-closed',
      principal: Money.of('40'),
      growth: Money.of('1'),
      part,
    });
    expect(partRecords.map(({ type, reference }) => [type, reference.id])).toEqual([
      ['divestment', 'i:2'],
      ['earning', 'i:2'],
    ]);
  });

  it.each(['investment.cancelled', 'investment.rejected'] as const)(
    'returns the principal that is paid back after %s',
    (name) => {
      expect(records({ name })).toEqual(['divestment 100.00 USDC, balance 100.00']);
    },
  );

  it('returns principal, growth and fees of a closing', () => {
    expect(records({ name: 'investment.closed', growth: Money.of('2.5'), fees: Money.of('0.1') })).toEqual([
      'divestment 100.00 USDC, balance 100.00',
      'earning 2.50 USDC, balance 2.50',
      'fee 0.10 USDC, balance -0.10',
    ]);
  });

  it('returns a loss as a negative earning', () => {
    expect(records({ name: 'investment.closed', growth: Money.of('-3') })).toEqual([
      'divestment 100.00 USDC, balance 100.00',
      'earning -3.00 USDC, balance -3.00',
    ]);
  });

  it('omits amounts of zero', () => {
    expect(records({ name: 'investment.closed' })).toEqual(['divestment 100.00 USDC, balance 100.00']);
  });
});
