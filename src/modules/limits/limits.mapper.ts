import type { AppConfig } from '../../config/app-config.js';
import { MICRO_SCALE } from '../../common/money.js';
import { asNumber } from '../../common/ratio.js';
import {
  DEPOSIT_CURRENCIES,
  isDepositable,
  minimumDeposit,
  NETWORKS,
  requiredConfirmations,
} from '../deposits/domain/networks.js';
import { toHoldResponse } from '../users/users.mapper.js';
import type { ListedStrategy } from '../strategies/strategies.types.js';
import type { PauseCause, WithdrawalAllowance } from '../withdrawals/withdrawals.types.js';
import type {
  DepositLimitsResponse,
  LimitsResponse,
  StrategyLimitsResponse,
  UserWithdrawalLimitsResponse,
} from './dto/limits.response.js';

/** Fixed sentences, because the reason that an admin has entered may be about other users. */
const PAUSE_REASONS: Record<PauseCause, string> = {
  admin: 'The operators of the platform have paused all withdrawals. Your balance is not affected.',
  'integrity-check':
    'An automatic check of the books has paused all withdrawals until the operators have examined its result. Your balance is not affected.',
};

export function toLimitsResponse(
  allowance: WithdrawalAllowance,
  strategies: readonly ListedStrategy[],
  config: AppConfig,
): LimitsResponse {
  return {
    withdrawals: toUserWithdrawalLimitsResponse(allowance, config),
    deposits: NETWORKS.flatMap((network) =>
      DEPOSIT_CURRENCIES.filter((currency) => isDepositable(currency, network)).map(
        (currency): DepositLimitsResponse => ({
          currency,
          network,
          minimum: minimumDeposit(config, currency).toWire(),
          confirmations: requiredConfirmations(config, network),
        }),
      ),
    ),
    strategies: strategies.map((strategy) => toStrategyLimitsResponse(strategy, config)),
    hold: toHoldResponse(allowance.hold),
  };
}

function toUserWithdrawalLimitsResponse(
  { minimum, dailyLimit, usedToday, leftOfDailyLimit, pauseCause }: WithdrawalAllowance,
  config: AppConfig,
): UserWithdrawalLimitsResponse {
  return {
    minimum: minimum.toWire(),
    dailyLimit: dailyLimit.toWire(),
    usedToday: usedToday.toWire(),
    available: leftOfDailyLimit.toWire(),
    paused: pauseCause !== null,
    pausedReason: pauseCause && PAUSE_REASONS[pauseCause],
    addressBook: config.WITHDRAWAL_ADDRESS_BOOK,
  };
}

function toStrategyLimitsResponse(
  { id, minimum, maximum, suspended }: ListedStrategy,
  config: AppConfig,
): StrategyLimitsResponse {
  return {
    strategyId: id,
    minimum: minimum.toWire(),
    maximum: maximum.toWire(),
    lockDays: config.INVESTMENT_LOCK_DAYS,
    managementFeePercent: asNumber(config.MANAGEMENT_FEE_PERCENT, MICRO_SCALE),
    performanceFeePercent: asNumber(config.PERFORMANCE_FEE_PERCENT, MICRO_SCALE),
    available: !suspended,
  };
}
