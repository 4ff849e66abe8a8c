import { DayText, ListOf, Count, Nested, Ratio, Text } from '../../../http/openapi/fields.js';

class NavPointResponse {
  @DayText() date!: string;
  @Ratio({ description: 'value of one unit; 1 on the first day', example: 1.000261157876 }) nav!: number;
  @Ratio({ description: 'percent a year that led from the day before to this value' }) apy!: number;
}

export class StrategyReturnResponse {
  @DayText({ description: 'the day with which today is compared' }) from!: string;
  @Count({ description: 'days from `from` until today' }) days!: number;
  @Ratio({ description: 'growth of a unit in these days, percent', example: 0.786 }) return!: number;
  @Ratio({
    nullable: true,
    description: 'the return as a yearly rate, percent; null before a day has passed',
  })
  annualised!: number | null;
}

class StrategyReturnsResponse {
  @Nested(() => StrategyReturnResponse, { nullable: true, description: 'null while the strategy is younger' })
  days7!: StrategyReturnResponse | null;
  @Nested(() => StrategyReturnResponse, { nullable: true, description: 'null while the strategy is younger' })
  days30!: StrategyReturnResponse | null;
  @Nested(() => StrategyReturnResponse, { nullable: true, description: 'null while the strategy is younger' })
  days90!: StrategyReturnResponse | null;
  @Nested(() => StrategyReturnResponse, { description: 'since the first day of the strategy' })
  sinceStart!: StrategyReturnResponse;
}

export class StrategyHistoryResponse {
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @Text() strategyName!: string;
  @DayText({ description: 'first day of the requested range' }) startDate!: string;
  @DayText({ description: 'last day of the requested range' }) endDate!: string;
  @ListOf(() => NavPointResponse, {
    description: 'one point for each day, the oldest first; none before the first day of the strategy',
  })
  series!: NavPointResponse[];
  @Nested(() => StrategyReturnsResponse, {
    description: 'returns until today, independent of the requested range',
  })
  returns!: StrategyReturnsResponse;
}
