import { RISK_LEVELS } from '../../../../config/strategies-file.js';
import {
  EnumField,
  EnumListField,
  IntegerField,
  DayField,
  ExactAmountField,
  BooleanField,
  InstantField,
  ListField,
  MoneyField,
  NestedField,
  NumberField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { WAITING_REASONS, type WaitingReason, YIELD_REPORT_STATES } from '../domain/yield-report.js';

/** A constant; `isActive` says whether the strategy accepts investments. */
const STATUSES = ['active'] as const;

export class StrategyResponse {
  @StringField({ example: 'balanced-10' }) id!: string;
  @StringField() name!: string;
  @StringField() description!: string;
  @EnumField(RISK_LEVELS) riskLevel!: string;
  @MoneyField({ description: 'target, percent a year', example: '10.00' }) expectedYield!: string;
  @MoneyField({ description: 'smallest investment, USDC' }) minInvestment!: string;
  @MoneyField({ example: '1000000.00', description: 'largest investment, USDC' }) maxInvestment!: string;
  @EnumField(STATUSES) status!: string;
  @BooleanField({ description: 'accepts investments' }) isActive!: boolean;
}

export class StrategyDetailResponse extends StrategyResponse {
  @BooleanField({ description: 'the same as isActive' }) active!: boolean;
  @InstantField() createdAt!: string;
  @InstantField() updatedAt!: string;
}

export class StrategiesDebugResponse {
  @IntegerField({ description: 'number of strategies in this answer' }) strategiesCount!: number;
  @StringField() configType!: string;
  @StringField() endpointCalled!: string;
  @InstantField() serverTimestamp!: string;
}

export class StrategiesResponse {
  @ListField(() => StrategyResponse) strategies!: StrategyResponse[];
  @NestedField(() => StrategiesDebugResponse, { optional: true, description: 'absent in production' })
  debug?: StrategiesDebugResponse;
}

export class AdminStrategyResponse {
  @StringField({ example: 'balanced-10' }) id!: string;
  @StringField() name!: string;
  @StringField() description!: string;
  @EnumField(RISK_LEVELS) riskLevel!: string;
  @MoneyField({ description: 'target, percent a year', example: '10.00' }) apy!: string;
  @MoneyField({ description: 'smallest investment, USDC' }) minAmount!: string;
  @MoneyField({ description: 'largest investment, USDC', example: '1000000.00' }) maxAmount!: string;
  @EnumField(STATUSES) status!: string;
  @BooleanField({ description: 'accepts investments' }) isActive!: boolean;
  @InstantField() createdAt!: string;
  @InstantField() updatedAt!: string;
}

/** The requested fields; other fields are absent. */
class RequestedStrategyChangeResponse {
  @StringField({ optional: true }) name?: string;
  @StringField({ optional: true }) description?: string;
  @EnumField(RISK_LEVELS, { optional: true }) riskLevel?: string;
  @MoneyField({ optional: true, description: 'target, percent a year' }) apy?: string;
  @MoneyField({ optional: true, description: 'smallest investment, USDC' }) minAmount?: string;
  @MoneyField({ optional: true, description: 'largest investment, USDC' }) maxAmount?: string;
  @BooleanField({ optional: true }) isActive?: boolean;
}

export class StrategyChangeResponse {
  @BooleanField({ description: 'always false: strategies are set by configuration' }) applied!: boolean;
  @NestedField(() => RequestedStrategyChangeResponse, { description: 'the change that was recorded' })
  requested!: RequestedStrategyChangeResponse;
  @NestedField(() => AdminStrategyResponse, { description: 'the strategy, unchanged' })
  strategy!: AdminStrategyResponse;
}

class NavPointResponse {
  @DayField() date!: string;
  @NumberField({ description: 'value of one unit; 1 on the first day', example: 1.000261157876 })
  nav!: number;
  @NumberField({
    nullable: true,
    description:
      'achieved by this day, percent a year: annualised growth of the value of a unit over the 30 days before, or since the first day of the strategy; null on that day',
  })
  apy!: number | null;
  @NumberField({ description: 'the present target, percent a year' }) targetApy!: number;
}

export class StrategyReturnResponse {
  @DayField({ description: 'the day with which today is compared' }) from!: string;
  @IntegerField({ description: 'days from `from` until today' }) days!: number;
  @NumberField({ description: 'growth of a unit in these days, percent', example: 0.786 }) return!: number;
  @NumberField({
    nullable: true,
    description: 'the return as a yearly rate, percent; null before a day has passed',
  })
  annualised!: number | null;
}

const UNLESS_YOUNGER = {
  nullable: true,
  description: 'null while the strategy is younger than the period',
};

class StrategyReturnsResponse {
  @NestedField(() => StrategyReturnResponse, UNLESS_YOUNGER)
  days7!: StrategyReturnResponse | null;
  @NestedField(() => StrategyReturnResponse, UNLESS_YOUNGER)
  days30!: StrategyReturnResponse | null;
  @NestedField(() => StrategyReturnResponse, UNLESS_YOUNGER)
  days90!: StrategyReturnResponse | null;
  @NestedField(() => StrategyReturnResponse, { description: 'since the first day of the strategy' })
  sinceStart!: StrategyReturnResponse;
}

export class StrategyHistoryResponse {
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @StringField() strategyName!: string;
  @DayField({ description: 'first day of the requested range' }) startDate!: string;
  @DayField({ description: 'last day of the requested range' }) endDate!: string;
  @ListField(() => NavPointResponse, {
    description: 'one point for each day, the oldest first; none before the first day of the strategy',
  })
  series!: NavPointResponse[];
  @NestedField(() => StrategyReturnsResponse, {
    description: 'returns until today, independent of the requested range',
  })
  returns!: StrategyReturnsResponse;
}

export class YieldReportResponse {
  @UuidField() id!: string;
  @StringField({ description: "the custody provider's id of the event" }) eventId!: string;
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @DayField({ description: 'UTC day to which the report applies' }) day!: string;
  @EnumField(YIELD_REPORT_STATES, {
    description:
      'rate: sets the rate of the day; fold: the value after the day was published already, so the next value makes up for the report; waiting: beyond a tolerance, an admin decides; ignored: the strategy was suspended on the day, so the rate has no effect; rejected: by an admin',
  })
  status!: string;
  @ExactAmountField({ description: 'achieved, percent a year' }) apy!: string;
  @ExactAmountField({
    description: 'percent a year: the rate of the day when the report arrived or was accepted',
  })
  usedApy!: string;
  @MoneyField({
    nullable: true,
    description:
      'USDC received by the custody provider for the day. An applied report replaces the amount of an earlier report of the day, and the difference is posted; an applied report without an amount keeps it. Null if neither the report nor, once it is applied, an earlier one of the day has stated an amount',
  })
  realisedAmount!: string | null;
  @EnumListField(WAITING_REASONS, {
    description:
      'what an admin decides or has decided about: rate, if apy is beyond YIELD_TOLERANCE_PERCENT; realisedAmount, if it is beyond REALISED_TOLERANCE_PERCENT. Empty for other reports',
  })
  waitingFor!: WaitingReason[];
  @MoneyField({
    nullable: true,
    description:
      'USDC that the value invested on the day explains at the reported rate, when the report arrived. Investments made on the day are counted or not, whichever is closer to the stated amount. Null for a report without an amount',
  })
  expectedAmount!: string | null;
  @InstantField() reportedAt!: string;
  @DayField({ nullable: true, description: 'day of the value that includes the report; null until then' })
  appliedOn!: string | null;
  @InstantField({ nullable: true, description: 'null without a decision' })
  decidedAt!: string | null;
  @StringField({ nullable: true, description: 'e-mail address of the admin who decided' }) decidedBy!:
    string | null;
  @StringField({ nullable: true, description: 'reason of a rejection' }) reason!: string | null;
}
