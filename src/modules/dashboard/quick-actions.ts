import type { AppConfig } from '../../config/app-config.js';
import { Choice, Flag, Text } from '../../http/openapi/fields.js';
import type { Money } from '../../common/money.js';
import type { WithdrawalAllowance } from '../withdrawals/withdrawals.types.js';
import type { StrategiesService } from '../strategies/strategies.service.js';

export class QuickActionResponse {
  @Choice(['deposit', 'invest', 'withdraw']) action!: string;
  @Text() label!: string;
  @Text({ description: 'path in the user interface', example: '/deposits' }) url!: string;
  @Flag({ description: 'it would succeed now' }) enabled!: boolean;
  @Flag({ optional: true, description: 'an admin may have to approve it first' }) requiresApproval?: boolean;
}

type Rules = Pick<AppConfig, 'WITHDRAWAL_MINIMUM' | 'INVESTMENT_APPROVAL_THRESHOLD'>;

/** What the actions of a user depend on. */
export interface Means {
  readonly available: Money;
  readonly withdrawals: WithdrawalAllowance;
  /** Deposit addresses can be had. */
  readonly acceptsDeposits: boolean;
}

export function quickActions(
  { available, withdrawals, acceptsDeposits }: Means,
  strategies: StrategiesService,
  rules: Rules,
): QuickActionResponse[] {
  const { WITHDRAWAL_MINIMUM: minimum, INVESTMENT_APPROVAL_THRESHOLD: threshold } = rules;
  const takesInvestment = strategies.all.some(
    (strategy) => !strategies.isSuspended(strategy.id) && !available.isLessThan(strategy.minimum),
  );
  return [
    { action: 'deposit', label: 'Deposit', url: '/deposits', enabled: acceptsDeposits },
    {
      action: 'invest',
      label: 'Invest',
      url: '/investments',
      enabled: takesInvestment,
      requiresApproval: threshold !== undefined && !available.isLessThan(threshold),
    },
    {
      action: 'withdraw',
      label: 'Withdraw',
      url: '/withdrawals',
      enabled:
        !withdrawals.isPaused &&
        !available.isLessThan(minimum) &&
        !withdrawals.leftOfDailyLimit.isLessThan(minimum),
      requiresApproval: true, // an operator carries each one out
    },
  ];
}
