import { Choice, DayText, Instant, ListOf, MoneyText, Nested, Text } from '../../../http/openapi/fields.js';

export class StatementBalanceResponse {
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText() available!: string;
  @MoneyText({ description: 'principal of open investments' }) invested!: string;
  @MoneyText({ description: 'held for withdrawals in progress' }) reserved!: string;
  @MoneyText({ description: 'unrealised growth of open investments' }) accruedEarnings!: string;
}

export class MovementResponse {
  @Instant() date!: string;
  @Text({ description: 'type of the ledger posting', example: 'deposit' }) type!: string;
  @Text({ example: 'deposit' }) referenceType!: string;
  @Text({
    description:
      'id of the deposit, investment or withdrawal; of a partial closing followed by a colon and its number',
  })
  referenceId!: string;
  @Text() description!: string;
  @MoneyText({ description: 'negative if it reduces the available balance' }) amount!: string;
  @MoneyText({ description: 'available balance after the movement' }) balance!: string;
}

export class DailyGrowthResponse {
  @DayText() date!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText({ description: 'of investments that were open at the midnight that begins the day' })
  growth!: string;
}

export class StatementResponse {
  @Choice(['USDC']) currency!: string;
  @DayText() from!: string;
  @DayText() to!: string;
  @Nested(() => StatementBalanceResponse, { description: 'before the first day' })
  opening!: StatementBalanceResponse;
  @Nested(() => StatementBalanceResponse, {
    description: 'at the end of the last day; now, if that is today',
  })
  closing!: StatementBalanceResponse;
  @ListOf(() => MovementResponse, {
    description:
      'of the available balance, the oldest first: opening.available + all amounts = closing.available',
  })
  movements!: MovementResponse[];
  @ListOf(() => DailyGrowthResponse, { description: 'of days with growth' })
  growth!: DailyGrowthResponse[];
}
