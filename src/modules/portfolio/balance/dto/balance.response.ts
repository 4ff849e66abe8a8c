import {
  Choice,
  DayText,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
} from '../../../../http/openapi/fields.js';

class BalanceBreakdownResponse {
  @MoneyText({
    description: 'all credits to the user: deposits, and bookings by hand, less those that were taken back',
  })
  deposits!: string;
  @MoneyText({ description: 'paid out, or reserved for withdrawals in progress' }) withdrawals!: string;
  @MoneyText({ description: 'realised on closing; a loss is negative' }) earnings!: string;
  @MoneyText({ description: 'all fees that closings charged' }) fees!: string;
}

class BalanceInvestmentResponse {
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText({ description: 'principal of the open investments in the strategy' }) amount!: string;
  @MoneyText({
    description: "today's value of the open investments in the strategy; pending ones at their principal",
  })
  currentValue!: string;
  @Ratio({ description: 'target in force, percent a year' }) apy!: number;
}

export class BalanceResponse {
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText({ description: 'deposits − withdrawals − invested + earnings − fees' }) available!: string;
  @MoneyText({ description: 'principal of open investments' }) invested!: string;
  @Choice(['USDC']) currency!: string;
  @Nested(() => BalanceBreakdownResponse) breakdown!: BalanceBreakdownResponse;
  @MoneyText({ description: 'held for withdrawals in progress; not part of the total' }) reserved!: string;
  @MoneyText({ description: 'unrealised growth of open investments' }) accruedEarnings!: string;
  @ListOf(() => BalanceInvestmentResponse, {
    description: 'open investments (pending, active, paused), by strategy',
  })
  investments!: BalanceInvestmentResponse[];
  @Instant({ description: "last movement; if there is none, the user's creation" })
  updatedAt!: string;
}

class BalanceChangeResponse {
  @MoneyText({ description: 'credited in the interval; negative if more was taken back' }) deposits!: string;
  @MoneyText({ description: 'paid out or reserved for withdrawals; negative if more was released' })
  withdrawals!: string;
  @MoneyText({ description: 'realised on closing; a loss is negative' }) earnings!: string;
  @MoneyText({ description: 'fees that closings charged in the interval' }) fees!: string;
}

export class BalanceDayResponse {
  @DayText({
    description:
      'last day of the interval; the figures are those at its end, or the present ones if it is today',
  })
  date!: string;
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText({ description: 'USDC that could be withdrawn or invested then, without reserved amounts' })
  available!: string;
  @MoneyText({ description: 'principal of investments that were open then' }) invested!: string;
  @MoneyText({ description: 'held for withdrawals in progress then; not part of the total' })
  reserved!: string;
  @MoneyText({ description: 'unrealised growth of investments that were open then' })
  accruedEarnings!: string;
  @MoneyText({
    nullable: true,
    description:
      'growth that investments earned on the days of the interval, realised later or not; null if none of these days has ended. accruedEarnings includes it from the midnight after its day on',
  })
  growth!: string | null;
  @Nested(() => BalanceChangeResponse, {
    description: 'changes of the breakdown of the balance in the interval',
  })
  change!: BalanceChangeResponse;
}
