import { Controller, Get } from '@nestjs/common';
import { MICRO_SCALE } from '../../../common/money.js';
import { asNumber } from '../../../common/ratio.js';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { toResponse } from '../../../http/response/to-response.js';
import {
  DEPOSIT_CURRENCIES,
  isDepositable,
  minimumDeposit,
  NETWORKS,
  requiredConfirmations,
} from '../../funds/deposits/domain/networks.js';
import { leftOf } from '../../funds/withdrawals/domain/limit-windows.js';
import { WithdrawalsService } from '../../funds/withdrawals/withdrawals.service.js';
import type { PauseCause, WithdrawalAllowance } from '../../funds/withdrawals/withdrawals.types.js';
import type { UserTier } from '../../identity/users/domain/limit-tier.js';
import { maximumInvestment } from '../../investing/investments/domain/investment.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import type { ListedStrategy } from '../../investing/strategies/strategies.types.js';
import { LimitsResponse } from './dto/limits.response.js';

@Controller('api/user/limits')
export class LimitsController {
  constructor(
    private readonly withdrawals: WithdrawalsService,
    private readonly strategies: StrategiesService,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @UserRoute({
    scope: 'any',
    summary: 'The limits that withdrawals, deposits and investments of the user have to meet now',
    data: LimitsResponse,
  })
  async get(@CurrentUser() user: UserPrincipal): Promise<LimitsResponse> {
    return toLimitsResponse(
      await this.withdrawals.getAllowance(user.id),
      this.strategies.listStrategies(),
      this.config,
    );
  }
}

/** Fixed sentences, because the reason that an admin has entered may be about other users. */
const PAUSE_REASONS: Record<PauseCause, string> = {
  admin: 'The operators of the platform have paused all withdrawals. Your balance is not affected.',
  'integrity-check':
    'An automatic check of the books has paused all withdrawals until the operators have examined its result. Your balance is not affected.',
};

function toLimitsResponse(
  allowance: WithdrawalAllowance,
  strategies: readonly ListedStrategy[],
  config: AppConfig,
): LimitsResponse {
  return toResponse(LimitsResponse, allowance, {
    withdrawals: withdrawalLimits(allowance),
    deposits: NETWORKS.flatMap((network) =>
      DEPOSIT_CURRENCIES.filter((currency) => isDepositable(currency, network)).map((currency) => ({
        currency,
        network,
        minimum: minimumDeposit(config, currency),
        confirmations: requiredConfirmations(config, network),
      })),
    ),
    strategies: strategies.map((strategy) => strategyLimits(strategy, allowance.tier, config)),
    locked: allowance.lock,
  });
}

function withdrawalLimits({ tier: { withdrawal, addressBook }, used, pauseCause }: WithdrawalAllowance) {
  return {
    minimum: withdrawal.minimum,
    dailyLimit: withdrawal.perDay,
    usedToday: used.day,
    available: leftOf(withdrawal.perDay, used.day),
    paused: pauseCause !== null,
    pausedReason: pauseCause && PAUSE_REASONS[pauseCause],
    addressBook,
  };
}

function strategyLimits(strategy: ListedStrategy, tier: UserTier, config: AppConfig) {
  const { id, minimum, suspended } = strategy;
  const maximum = maximumInvestment(strategy, tier);
  return {
    strategyId: id,
    minimum,
    maximum,
    lockDays: config.INVESTMENT_LOCK_DAYS,
    managementFeePercent: asNumber(config.MANAGEMENT_FEE_PERCENT, MICRO_SCALE),
    performanceFeePercent: asNumber(config.PERFORMANCE_FEE_PERCENT, MICRO_SCALE),
    available: !suspended && !maximum.isLessThan(minimum),
  };
}
