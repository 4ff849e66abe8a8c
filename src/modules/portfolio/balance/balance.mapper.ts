import { asNumber } from '../../../common/ratio.js';
import type { BalanceInterval } from './balance-history.service.js';
import type { Balance } from './balance.service.js';
import type { BalanceDayResponse, BalanceResponse } from './dto/balance.response.js';

export function toBalanceResponse({
  funds,
  positions,
  accruedEarnings,
  updatedAt,
}: Balance): BalanceResponse {
  return {
    total: funds.available.plus(funds.invested).toWire(),
    available: funds.available.toWire(),
    invested: funds.invested.toWire(),
    currency: 'USDC',
    breakdown: {
      deposits: funds.deposits.toWire(),
      withdrawals: funds.withdrawals.toWire(),
      earnings: funds.earnings.toWire(),
      fees: funds.fees.toWire(),
    },
    reserved: funds.reserved.toWire(),
    accruedEarnings: accruedEarnings.toWire(),
    investments: positions.map(({ strategyId, amount, currentValue, apy }) => ({
      strategyId,
      amount: amount.toWire(),
      currentValue: currentValue.toWire(),
      apy: asNumber(apy),
    })),
    updatedAt: updatedAt.toISOString(),
  };
}

export function toBalanceDayResponse({ before, end, growth }: BalanceInterval): BalanceDayResponse {
  return {
    date: end.day,
    total: end.available.plus(end.invested).toWire(),
    available: end.available.toWire(),
    invested: end.invested.toWire(),
    reserved: end.reserved.toWire(),
    accruedEarnings: end.accruedEarnings.toWire(),
    growth: growth && growth.toWire(),
    change: {
      deposits: end.deposits.minus(before.deposits).toWire(),
      withdrawals: end.withdrawals.minus(before.withdrawals).toWire(),
      earnings: end.earnings.minus(before.earnings).toWire(),
      fees: end.fees.minus(before.fees).toWire(),
    },
  };
}
