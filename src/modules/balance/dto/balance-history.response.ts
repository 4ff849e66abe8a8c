import { DayText, MoneyText, Nested } from '../../../http/openapi/fields.js';
import type { Standing } from '../balance-history.queries.js';

class BalanceChangeResponse {
  @MoneyText() deposits!: string;
  @MoneyText({ description: 'paid out or reserved to be; negative when more was released' })
  withdrawals!: string;
  @MoneyText({ description: 'realised on closing; a loss is negative' }) earnings!: string;
  @MoneyText() fees!: string;
}

export class BalanceDayResponse {
  @DayText({ description: 'last day of the interval: the figures stand at its end, of today now' })
  date!: string;
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText() available!: string;
  @MoneyText({ description: 'principal of investments that were open then' }) invested!: string;
  @MoneyText({ description: 'held for withdrawals in progress then; not part of the total' })
  reserved!: string;
  @MoneyText({ description: 'growth of investments that were open then, not yet realised' })
  accruedEarnings!: string;
  @Nested(() => BalanceChangeResponse, {
    description: 'what the interval added to the breakdown of the balance; the first begins with the range',
  })
  change!: BalanceChangeResponse;
}

/** A standing, and what has changed since an earlier one. */
export function toBalanceDayResponse(before: Standing, then: Standing): BalanceDayResponse {
  return {
    date: then.day,
    total: then.available.plus(then.invested).toWire(),
    available: then.available.toWire(),
    invested: then.invested.toWire(),
    reserved: then.reserved.toWire(),
    accruedEarnings: then.accruedEarnings.toWire(),
    change: {
      deposits: then.deposits.minus(before.deposits).toWire(),
      withdrawals: then.withdrawals.minus(before.withdrawals).toWire(),
      earnings: then.earnings.minus(before.earnings).toWire(),
      fees: then.fees.minus(before.fees).toWire(),
    },
  };
}
