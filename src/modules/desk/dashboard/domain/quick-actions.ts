import type { AppConfig } from '../../../../config/app-config.js';
import type { Phrase } from '../../../../common/message-texts.js';
import { Money } from '../../../../common/money.js';
import type { ListedStrategy } from '../../../investing/strategies/strategies.types.js';
import { maximumInvestment } from '../../../investing/investments/domain/investment.js';
import { tightestWindow } from '../../../funds/withdrawals/domain/limit-windows.js';
import type { WithdrawalAllowance } from '../../../funds/withdrawals/withdrawals.types.js';

export interface QuickAction {
  readonly action: 'deposit' | 'invest' | 'withdraw';
  readonly url: string;
  /** Whether the action would succeed now. */
  readonly enabled: boolean;
  /** Whether an admin may have to approve the action. */
  readonly requiresApproval?: boolean;
}

export const ACTION_LABELS: Readonly<Record<QuickAction['action'], Phrase>> = {
  deposit: { en: 'Deposit', de: 'Einzahlen' },
  invest: { en: 'Invest', de: 'Anlegen' },
  withdraw: { en: 'Withdraw', de: 'Auszahlen' },
};

type Rules = Pick<AppConfig, 'INVESTMENT_APPROVAL_THRESHOLD'>;

/** The state of a user and of the platform that the actions depend on. */
interface ActionConditions {
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
  const { tier, windows } = withdrawals;
  const { minimum } = tier.withdrawal;
  const canInvest = strategies.some(
    (strategy) =>
      !strategy.suspended &&
      !Money.min(available, maximumInvestment(strategy, tier)).isLessThan(strategy.minimum),
  );
  return [
    { action: 'deposit', url: '/deposits', enabled: acceptsDeposits },
    {
      action: 'invest',
      url: '/investments',
      enabled: canInvest,
      requiresApproval: threshold !== undefined && !available.isLessThan(threshold),
    },
    {
      action: 'withdraw',
      url: '/withdrawals',
      enabled:
        withdrawals.hold === null &&
        withdrawals.lock === null &&
        withdrawals.pauseCause === null &&
        !available.isLessThan(minimum) &&
        !tightestWindow(windows).left.isLessThan(minimum),
      requiresApproval: true, // an operator carries out every withdrawal
    },
  ];
}
