import type { AppConfig } from '../../../config/app-config.js';
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
import type { Strategy } from '../domain/catalogue.js';

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
/** Whether it takes investments says `isActive`. */
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

export function toStrategyResponse(strategy: Strategy, suspended: boolean): StrategyResponse {
  return {
    id: strategy.id,
    name: strategy.name,
    description: strategy.description,
    riskLevel: strategy.riskLevel,
    expectedYield: strategy.apy.toWire(),
    minInvestment: strategy.minimum.toWire(),
    maxInvestment: strategy.maximum.toWire(),
    status: 'active',
    isActive: !suspended,
  };
}

export function toStrategyDetailResponse(strategy: Strategy, suspended: boolean): StrategyDetailResponse {
  return {
    id: strategy.id,
    name: strategy.name,
    description: strategy.description,
    riskLevel: strategy.riskLevel,
    expectedYield: strategy.apy.toWire(),
    minInvestment: strategy.minimum.toWire(),
    maxInvestment: strategy.maximum.toWire(),
    status: 'active',
    isActive: !suspended,
    active: !suspended,
    createdAt: strategy.createdAt.toISOString(),
    updatedAt: strategy.updatedAt.toISOString(),
  };
}

export function toStrategiesResponse(
  strategies: StrategyResponse[],
  config: AppConfig,
  now: Date,
): StrategiesResponse {
  if (config.isProduction) return { strategies };
  return {
    strategies,
    debug: {
      strategiesCount: strategies.length,
      configType: 'static',
      endpointCalled: '/api/user/strategies',
      serverTimestamp: now.toISOString(),
    },
  };
}
