import { RISK_LEVELS } from '../../../../config/strategies-file.js';
import {
  Choice,
  ChoiceList,
  Count,
  DayText,
  ExactAmount,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { WAITING_REASONS, type WaitingReason } from '../domain/yield-report.js';
import { YIELD_REPORT_STATES } from '../domain/yield-report.state-machine.js';

/** A constant; `isActive` says whether the strategy accepts investments. */
const STATUSES = ['active'] as const;

export class StrategyResponse {
  @Text({ example: 'balanced-10' }) id!: string;
  @Text() name!: string;
  @Text() description!: string;
  @Choice(RISK_LEVELS) riskLevel!: string;
  @MoneyText({ description: 'target, percent a year', example: '10.00' }) expectedYield!: string;
  @MoneyText({ description: 'smallest investment, USDC' }) minInvestment!: string;
  @MoneyText({ example: '1000000.00', description: 'largest investment, USDC' }) maxInvestment!: string;
  @Choice(STATUSES) status!: string;
  @Flag({ description: 'accepts investments' }) isActive!: boolean;
}

export class StrategyDetailResponse extends StrategyResponse {
  @Flag({ description: 'the same as isActive' }) active!: boolean;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
}

export class StrategiesDebugResponse {
  @Count({ description: 'number of strategies in this answer' }) strategiesCount!: number;
  @Text() configType!: string;
  @Text() endpointCalled!: string;
  @Instant() serverTimestamp!: string;
}

export class StrategiesResponse {
  @ListOf(() => StrategyResponse) strategies!: StrategyResponse[];
  @Nested(() => StrategiesDebugResponse, { optional: true, description: 'absent in production' })
  debug?: StrategiesDebugResponse;
}

export class AdminStrategyResponse {
  @Text({ example: 'balanced-10' }) id!: string;
  @Text() name!: string;
  @Text() description!: string;
  @Choice(RISK_LEVELS) riskLevel!: string;
  @MoneyText({ description: 'target, percent a year', example: '10.00' }) apy!: string;
  @MoneyText({ description: 'smallest investment, USDC' }) minAmount!: string;
  @MoneyText({ description: 'largest investment, USDC', example: '1000000.00' }) maxAmount!: string;
  @Choice(STATUSES) status!: string;
  @Flag({ description: 'accepts investments' }) isActive!: boolean;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
}

/** The requested fields; other fields are absent. */
class RequestedStrategyChangeResponse {
  @Text({ optional: true }) name?: string;
  @Text({ optional: true }) description?: string;
  @Choice(RISK_LEVELS, { optional: true }) riskLevel?: string;
  @MoneyText({ optional: true, description: 'target, percent a year' }) apy?: string;
  @MoneyText({ optional: true, description: 'smallest investment, USDC' }) minAmount?: string;
  @MoneyText({ optional: true, description: 'largest investment, USDC' }) maxAmount?: string;
  @Flag({ optional: true }) isActive?: boolean;
}

export class StrategyChangeResponse {
  @Flag({ description: 'always false: strategies are set by configuration' }) applied!: boolean;
  @Nested(() => RequestedStrategyChangeResponse, { description: 'the change that was recorded' })
  requested!: RequestedStrategyChangeResponse;
  @Nested(() => AdminStrategyResponse, { description: 'the strategy, unchanged' })
  strategy!: AdminStrategyResponse;
}

class NavPointResponse {
  @DayText() date!: string;
  @Ratio({ description: 'value of one unit; 1 on the first day', example: 1.000261157876 }) nav!: number;
  @Ratio({
    nullable: true,
    description:
      'achieved by this day, percent a year: annualised growth of the value of a unit over the 30 days before, or since the first day of the strategy; null on that day',
  })
  apy!: number | null;
  @Ratio({ description: 'the present target, percent a year' }) targetApy!: number;
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
  @Nested(() => StrategyReturnResponse, {
    nullable: true,
    description: 'null while the strategy is younger than the period',
  })
  days7!: StrategyReturnResponse | null;
  @Nested(() => StrategyReturnResponse, {
    nullable: true,
    description: 'null while the strategy is younger than the period',
  })
  days30!: StrategyReturnResponse | null;
  @Nested(() => StrategyReturnResponse, {
    nullable: true,
    description: 'null while the strategy is younger than the period',
  })
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

export class YieldReportResponse {
  @Uuid() id!: string;
  @Text({ description: "the custody provider's id of the event" }) eventId!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @DayText({ description: 'UTC day to which the report applies' }) day!: string;
  @Choice(YIELD_REPORT_STATES, {
    description:
      'rate: sets the rate of the day; fold: the value after the day was published already, so the next value makes up for the report; waiting: beyond a tolerance, an admin decides; ignored: the strategy was suspended on the day, so the rate has no effect; rejected: by an admin',
  })
  status!: string;
  @ExactAmount({ description: 'achieved, percent a year' }) apy!: string;
  @ExactAmount({
    description: 'percent a year: the rate of the day when the report arrived or was accepted',
  })
  usedApy!: string;
  @MoneyText({
    nullable: true,
    description:
      'USDC received by the custody provider for the day. An applied report replaces the amount of an earlier report of the day, and the difference is posted; an applied report without an amount keeps it. Null if neither the report nor, once it is applied, an earlier one of the day has stated an amount',
  })
  realisedAmount!: string | null;
  @ChoiceList(WAITING_REASONS, {
    description:
      'what an admin decides or has decided about: rate, if apy is beyond YIELD_TOLERANCE_PERCENT; realisedAmount, if it is beyond REALISED_TOLERANCE_PERCENT. Empty for other reports',
  })
  waitingFor!: WaitingReason[];
  @MoneyText({
    nullable: true,
    description:
      'USDC that the value invested on the day explains at the reported rate, when the report arrived. Investments made on the day are counted or not, whichever is closer to the stated amount. Null for a report without an amount',
  })
  expectedAmount!: string | null;
  @Instant() reportedAt!: string;
  @DayText({ nullable: true, description: 'day of the value that includes the report; null until then' })
  appliedOn!: string | null;
  @Instant({ nullable: true, description: 'null without a decision' })
  decidedAt!: string | null;
  @Text({ nullable: true, description: 'e-mail address of the admin who decided' }) decidedBy!: string | null;
  @Text({ nullable: true, description: 'reason of a rejection' }) reason!: string | null;
}
