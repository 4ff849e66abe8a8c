import { Count, Instant, MoneyText, Nested } from '../../../http/openapi/fields.js';
import type { Money } from '../../../common/money.js';
import { ComplianceResponse } from '../../users/dto/compliance.response.js';
import { toComplianceResponse } from '../../users/users.mapper.js';
import {
  toAdminWithdrawalResponse,
  AdminWithdrawalResponse,
  WithdrawalLimitsResponse,
  toWithdrawalLimitsResponse,
} from './admin-withdrawal.response.js';
import type { QueuedWithdrawal } from '../withdrawals.types.js';

// What an operator sees of the queue: beside each withdrawal all that a decision needs.

export class UserBalanceResponse {
  @MoneyText()
  available!: string;
  @MoneyText()
  invested!: string;
}

/** What the list shows, and more. */
export class QueuedWithdrawalResponse extends AdminWithdrawalResponse {
  @Nested(() => WithdrawalLimitsResponse)
  limits!: WithdrawalLimitsResponse;
  @Nested(() => UserBalanceResponse)
  userBalance!: UserBalanceResponse;
  @Nested(() => ComplianceResponse)
  complianceChecks!: ComplianceResponse;
}

export function toQueuedWithdrawalResponse(
  row: QueuedWithdrawal,
  dailyLimit: Money,
): QueuedWithdrawalResponse {
  return {
    ...toAdminWithdrawalResponse(row),
    limits: toWithdrawalLimitsResponse(dailyLimit, row.usedToday),
    userBalance: { available: row.available.toWire(), invested: row.invested.toWire() },
    complianceChecks: toComplianceResponse(row.compliance),
  };
}

export class QueueSummaryResponse {
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
