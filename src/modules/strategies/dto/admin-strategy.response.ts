import { Choice, Flag, Instant, MoneyText, Nested, Text } from '../../../http/openapi/fields.js';
import type { Strategy } from '../domain/catalogue.js';
import { RISK_LEVELS, STATUSES } from './strategy.response.js';

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

export function toAdminStrategyResponse(strategy: Strategy, suspended: boolean): AdminStrategyResponse {
  return {
    id: strategy.id,
    name: strategy.name,
    description: strategy.description,
    riskLevel: strategy.riskLevel,
    apy: strategy.apy.toWire(),
    minAmount: strategy.minimum.toWire(),
    maxAmount: strategy.maximum.toWire(),
    status: 'active',
    isActive: !suspended,
    createdAt: strategy.createdAt.toISOString(),
    updatedAt: strategy.updatedAt.toISOString(),
  };
}

/** What was asked for; only the fields that were sent. */
class StrategyWishResponse {
  @Text({ optional: true }) name?: string;
  @Text({ optional: true }) description?: string;
  @Choice(RISK_LEVELS, { optional: true }) riskLevel?: string;
  @MoneyText({ optional: true }) apy?: string;
  @MoneyText({ optional: true }) minAmount?: string;
  @MoneyText({ optional: true }) maxAmount?: string;
  @Flag({ optional: true }) isActive?: boolean;
}

export class StrategyChangeResponse {
  @Flag({ description: 'always false: strategies are set by configuration' }) applied!: boolean;
  @Nested(() => StrategyWishResponse, { description: 'the change that was recorded' })
  requested!: StrategyWishResponse;
  @Nested(() => AdminStrategyResponse, { description: 'the strategy as it is and stays' })
  strategy!: AdminStrategyResponse;
}
