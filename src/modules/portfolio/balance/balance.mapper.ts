import { asNumber } from '../../../common/ratio.js';
import type { Balance, BalanceInterval } from './balance.service.js';
import { BalanceDayResponse, BalanceResponse } from './dto/balance.response.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toBalanceResponse(balance: Balance): BalanceResponse {
  const { funds, positions } = balance;
  return toResponse(BalanceResponse, balance, {
    total: funds.available.plus(funds.invested),
    available: funds.available,
    invested: funds.invested,
    currency: 'USDC',
    breakdown: funds,
    reserved: funds.reserved,
    investments: positions.map((position) => ({ ...position, apy: asNumber(position.apy) })),
  });
}

export function toBalanceDayResponse({ before, end, growth }: BalanceInterval): BalanceDayResponse {
  return toResponse(BalanceDayResponse, end, {
    date: end.day,
    total: end.available.plus(end.invested),
    growth,
    change: {
      deposits: end.deposits.minus(before.deposits),
      withdrawals: end.withdrawals.minus(before.withdrawals),
      earnings: end.earnings.minus(before.earnings),
      fees: end.fees.minus(before.fees),
    },
  });
}
