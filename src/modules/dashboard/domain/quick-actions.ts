import type { AppConfig } from '../../../config/app-config.js';
import type { Money } from '../../../common/money.js';
import type { ListedStrategy } from '../../strategies/strategies.types.js';
import type { WithdrawalAllowance } from '../../withdrawals/withdrawals.types.js';

export interface QuickAction {
  readonly action: 'deposit' | 'invest' | 'withdraw';
  readonly label: string;
  readonly url: string;
  /** Whether the action would succeed now. */
  readonly enabled: boolean;
  /** Whether an admin may have to approve the action. */
  readonly requiresApproval?: boolean;
}

type Rules = Pick<AppConfig, 'INVESTMENT_APPROVAL_THRESHOLD'>;

/** The state of a user and of the platform that the actions depend on. */
export interface ActionConditions {
  readonly available: Money;
  readonly withdrawals: WithdrawalAllowance;
  /** False if the deposit provider did not answer the last poll. */
  readonly acceptsDeposits: boolean;
}

/** The actions of the dashboard, enabled if they would succeed now. */
export function quickActions(
  { available, withdrawals, acceptsDeposits }: ActionConditions,
  strategies: readonly ListedStrategy[],
  rules: Rules,
): QuickAction[] {
  const { INVESTMENT_APPROVAL_THRESHOLD: threshold } = rules;
  const canInvest = strategies.some(({ suspended, minimum }) => !suspended && !available.isLessThan(minimum));
  return [
    { action: 'deposit', label: 'Deposit', url: '/deposits', enabled: acceptsDeposits },
    {
      action: 'invest',
      label: 'Invest',
      url: '/investments',
      enabled: canInvest,
      requiresApproval: threshold !== undefined && !available.isLessThan(threshold),
    },
    {
      action: 'withdraw',
      label: 'Withdraw',
      url: '/withdrawals',
      enabled:
        withdrawals.hold === null &&
        withdrawals.pauseCause === null &&
        !available.isLessThan(withdrawals.minimum) &&
        !withdrawals.leftOfDailyLimit.isLessThan(withdrawals.minimum),
      requiresApproval: true, // an operator carries out every withdrawal
    },
  ];
}
