import { RISK_LEVELS } from '../../../config/strategies-file.js';
import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Text,
} from '../../../http/openapi/fields.js';

/** A constant; `isActive` says whether the strategy accepts investments. */
export const STATUSES = ['active'] as const;

export class StrategyResponse {
  @Text({ example: 'balanced-10' }) id!: string;
  @Text() name!: string;
  @Text() description!: string;
  @Choice(RISK_LEVELS) riskLevel!: string;
  @MoneyText({ description: 'target, percent a year', example: '10.00' }) expectedYield!: string;
  @MoneyText() minInvestment!: string;
  @MoneyText({ example: '1000000.00' }) maxInvestment!: string;
  @Choice(STATUSES) status!: string;
  @Flag({ description: 'accepts investments' }) isActive!: boolean;
}

export class StrategyDetailResponse extends StrategyResponse {
  @Flag({ description: 'the same as isActive' }) active!: boolean;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
}

export class StrategiesDebugResponse {
  @Count() strategiesCount!: number;
  @Text() configType!: string;
  @Text() endpointCalled!: string;
  @Instant() serverTimestamp!: string;
}

export class StrategiesResponse {
  @ListOf(() => StrategyResponse) strategies!: StrategyResponse[];
  @Nested(() => StrategiesDebugResponse, { optional: true, description: 'absent in production' })
  debug?: StrategiesDebugResponse;
}
