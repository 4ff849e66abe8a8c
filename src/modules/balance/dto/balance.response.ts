import {
  Choice,
  DayText,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
} from '../../../http/openapi/fields.js';

class BalanceBreakdownResponse {
  @MoneyText() deposits!: string;
  @MoneyText({ description: 'paid out, or reserved for withdrawals in progress' }) withdrawals!: string;
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
  @MoneyText({ description: 'unrealised growth of open investments' }) accruedEarnings!: string;
  @ListOf(() => BalanceInvestmentResponse, { description: 'open investments' })
  investments!: BalanceInvestmentResponse[];
  @Instant({ description: "last movement; if there is none, the user's creation" })
  updatedAt!: string;
}

class BalanceChangeResponse {
  @MoneyText() deposits!: string;
  @MoneyText({ description: 'paid out or reserved for withdrawals; negative if more was released' })
  withdrawals!: string;
  @MoneyText({ description: 'realised on closing; a loss is negative' }) earnings!: string;
  @MoneyText() fees!: string;
}

export class BalanceDayResponse {
  @DayText({
    description:
      'last day of the interval; the figures are those at its end, or the present ones if it is today',
  })
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
