import { Choice, Instant, ListOf, MoneyText, Nested, Ratio, Text } from '../../../http/openapi/fields.js';
import { asNumber } from '../../../common/ratio.js';
import type { Balance } from '../balance.queries.js';

class BalanceBreakdownResponse {
  @MoneyText() deposits!: string;
  @MoneyText({ description: 'paid out, or reserved to be' }) withdrawals!: string;
  @MoneyText({ description: 'realised on closing; a loss is negative' }) earnings!: string;
  @MoneyText() fees!: string;
}

class BalanceInvestmentResponse {
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText({ description: 'principal' }) amount!: string;
  @MoneyText() currentValue!: string;
  @Ratio({ description: 'percent a year' }) apy!: number;
}

export class BalanceResponse {
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText({ description: 'deposits − withdrawals − invested + earnings − fees' }) available!: string;
  @MoneyText({ description: 'principal of open investments' }) invested!: string;
  @Choice(['USDC']) currency!: string;
  @Nested(() => BalanceBreakdownResponse) breakdown!: BalanceBreakdownResponse;
  @MoneyText({ description: 'held for withdrawals in progress; not part of the total' }) reserved!: string;
  @MoneyText({ description: 'growth of open investments, not yet realised' }) accruedEarnings!: string;
  @ListOf(() => BalanceInvestmentResponse, { description: 'open investments' })
  investments!: BalanceInvestmentResponse[];
  @Instant({ description: "last movement, or the user's creation when nothing ever moved" })
  updatedAt!: string;
}

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
