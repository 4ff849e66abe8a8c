import type { AppConfig } from '../../../config/app-config.js';
import { Choice, Count, Flag, Instant, ListOf, MoneyText, Nested, Text } from '../../../http/openapi/fields.js';
import type { Strategy } from '../catalogue.js';

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
/** Whether it takes investments says `isActive`. */
export const STATUSES = ['active'] as const;

export class StrategyView {
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

export class StrategyDetailView extends StrategyView {
  @Flag({ description: 'the same as isActive' }) active!: boolean;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
}

export class StrategiesDebugView {
  @Count() strategiesCount!: number;
  @Text() configType!: string;
  @Text() endpointCalled!: string;
  @Instant() serverTimestamp!: string;
}

export class StrategiesView {
  @ListOf(() => StrategyView) strategies!: StrategyView[];
  @Nested(() => StrategiesDebugView, { optional: true, description: 'absent in production' })
  debug?: StrategiesDebugView;
}

export function strategyView(strategy: Strategy, suspended: boolean): StrategyView {
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

export function strategyDetailView(strategy: Strategy, suspended: boolean): StrategyDetailView {
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

export function strategiesView(strategies: StrategyView[], config: AppConfig, now: Date): StrategiesView {
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
