import { Money } from '../../../common/money.js';
import type { DepositEvent } from '../../deposits/deposit.events.js';
import type { InvestmentEvent } from '../../investments/investment.events.js';
import type { WithdrawalEvent } from '../../withdrawals/withdrawal.events.js';
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

describe('event payloads', () => {
  it('contain a deposit without its dust and its owner', () => {
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
      growth: '-0.50',
      fees: '0.10',
      stillInvested: '60.00',
      reason: null,
    });
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

  it('are undefined for new confirmations of a deposit and for the approval of a withdrawal', () => {
    expect(depositEvent({ ...deposit, name: 'deposit.confirming' })).toBeUndefined();
    expect(withdrawalEvent({ ...withdrawal, name: 'withdrawal.approved' })).toBeUndefined();
  });

  it('are sent with their type and time', () => {
    const body = bodyOf({ type: 'webhook.test', at: COMMON.at, data: { webhookId: 'a' } });
    expect(body).toBe(
      '{"type":"webhook.test","timestamp":"2026-03-02T10:00:00.000Z","data":{"webhookId":"a"}}',
    );
  });
});
