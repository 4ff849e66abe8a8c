import {
  EnumField,
  DayField,
  InstantField,
  ListField,
  MoneyField,
  NestedField,
  NumberField,
  StringField,
} from '../../../../http/openapi/fields.js';

class BalanceBreakdownResponse {
  @MoneyField({
    description: 'all credits to the user: deposits, and bookings by hand, less those that were taken back',
  })
  deposits!: string;
  @MoneyField({ description: 'paid out, or reserved for withdrawals in progress' }) withdrawals!: string;
  @MoneyField({ description: 'realised on closing; a loss is negative' }) earnings!: string;
  @MoneyField({ description: 'all fees that closings charged' }) fees!: string;
}

class BalanceInvestmentResponse {
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @MoneyField({ description: 'principal of the open investments in the strategy' }) amount!: string;
  @MoneyField({
    description: "today's value of the open investments in the strategy; pending ones at their principal",
  })
  currentValue!: string;
  @NumberField({ description: 'target in force, percent a year' }) apy!: number;
}

export class BalanceResponse {
  @MoneyField({ description: 'available + invested' }) total!: string;
  @MoneyField({ description: 'deposits − withdrawals − invested + earnings − fees' }) available!: string;
  @MoneyField({ description: 'principal of open investments' }) invested!: string;
  @EnumField(['USDC']) currency!: string;
  @NestedField(() => BalanceBreakdownResponse) breakdown!: BalanceBreakdownResponse;
  @MoneyField({ description: 'held for withdrawals in progress; not part of the total' }) reserved!: string;
  @MoneyField({ description: 'unrealised growth of open investments' }) accruedEarnings!: string;
  @ListField(() => BalanceInvestmentResponse, {
    description: 'open investments (pending, active, paused), by strategy',
  })
  investments!: BalanceInvestmentResponse[];
  @InstantField({ description: "last movement; if there is none, the user's creation" }) updatedAt!: string;
}

class BalanceChangeResponse {
  @MoneyField({ description: 'credited in the interval; negative if more was taken back' }) deposits!: string;
  @MoneyField({ description: 'paid out or reserved for withdrawals; negative if more was released' })
  withdrawals!: string;
  @MoneyField({ description: 'realised on closing; a loss is negative' }) earnings!: string;
  @MoneyField({ description: 'fees that closings charged in the interval' }) fees!: string;
}

export class BalanceDayResponse {
  @DayField({
    description:
      'last day of the interval; the figures are those at its end, or the present ones if it is today',
  })
  date!: string;
  @MoneyField({ description: 'available + invested' }) total!: string;
  @MoneyField({ description: 'USDC that could be withdrawn or invested then, without reserved amounts' })
  available!: string;
  @MoneyField({ description: 'principal of investments that were open then' }) invested!: string;
  @MoneyField({ description: 'held for withdrawals in progress then; not part of the total' })
  reserved!: string;
  @MoneyField({ description: 'unrealised growth of investments that were open then' })
  accruedEarnings!: string;
  @MoneyField({
    nullable: true,
    description:
      'growth that investments earned on the days of the interval, realised later or not; null if none of these days has ended. accruedEarnings includes it from the midnight after its day on',
  })
  growth!: string | null;
  @NestedField(() => BalanceChangeResponse, {
    description: 'changes of the breakdown of the balance in the interval',
  })
  change!: BalanceChangeResponse;
}
