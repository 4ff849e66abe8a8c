import { DayText, MoneyText, Nested } from '../../../http/openapi/fields.js';

class BalanceChangeResponse {
  @MoneyText() deposits!: string;
  @MoneyText({ description: 'paid out or reserved for withdrawals; negative if more was released' })
  withdrawals!: string;
  @MoneyText({ description: 'realised on closing; a loss is negative' }) earnings!: string;
  @MoneyText() fees!: string;
}

export class BalanceDayResponse {
  @DayText({ description: 'last day of the interval; the figures are of its end, of today of now' })
  date!: string;
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText() available!: string;
  @MoneyText({ description: 'principal of investments that were open then' }) invested!: string;
  @MoneyText({ description: 'held for withdrawals in progress then; not part of the total' })
  reserved!: string;
  @MoneyText({ description: 'unrealised growth of investments that were open then' })
  accruedEarnings!: string;
  @Nested(() => BalanceChangeResponse, {
    description: 'changes of the breakdown of the balance in the interval',
  })
  change!: BalanceChangeResponse;
}
