import { Count, Instant, MoneyText, Nested } from '../../../http/openapi/fields.js';
import type { Money } from '../../../common/money.js';
import { complianceView, ComplianceView } from '../../users/dto/compliance.response.js';
import {
  adminWithdrawalView,
  AdminWithdrawalView,
  WithdrawalLimitsView,
  withdrawalLimitsView,
} from './admin-withdrawal.response.js';
import type { QueuedWithdrawal } from '../admin-withdrawals.rows.js';

// What an operator sees of the queue: beside each withdrawal all that a decision needs.

export class UserBalanceView {
  @MoneyText()
  available!: string;
  @MoneyText()
  invested!: string;
}

/** What the list shows, and more. */
export class QueuedWithdrawalView extends AdminWithdrawalView {
  @Nested(() => WithdrawalLimitsView)
  limits!: WithdrawalLimitsView;
  @Nested(() => UserBalanceView)
  userBalance!: UserBalanceView;
  @Nested(() => ComplianceView)
  complianceChecks!: ComplianceView;
}

export function queuedWithdrawalView(row: QueuedWithdrawal, dailyLimit: Money): QueuedWithdrawalView {
  return {
    ...adminWithdrawalView(row),
    limits: withdrawalLimitsView(dailyLimit, row.usedToday),
    userBalance: { available: row.available.toWire(), invested: row.invested.toWire() },
    complianceChecks: complianceView(row.compliance),
  };
}

export class QueueSummaryView {
  @Count({ description: 'withdrawals in status pending, on all pages' })
  totalPending!: number;
  @MoneyText({ description: 'their sum' })
  totalPendingValue!: string;
  @Instant({ nullable: true, description: 'when the oldest of them was requested; null when nothing waits' })
  oldestPending!: string | null;
  @Count({
    nullable: true,
    description: 'seconds since they were requested, on average; null when nothing waits',
  })
  averageWaitTime!: number | null;
}
