import { Count, Instant, MoneyText, Nested } from '../../../http/openapi/fields.js';
import { ComplianceResponse } from '../../users/dto/compliance.response.js';
import { AdminWithdrawalResponse, WithdrawalLimitsResponse } from './admin-withdrawal.response.js';

export class UserBalanceResponse {
  @MoneyText()
  available!: string;
  @MoneyText()
  invested!: string;
}

export class QueuedWithdrawalResponse extends AdminWithdrawalResponse {
  @Nested(() => WithdrawalLimitsResponse)
  limits!: WithdrawalLimitsResponse;
  @Nested(() => UserBalanceResponse)
  userBalance!: UserBalanceResponse;
  @Nested(() => ComplianceResponse)
  complianceChecks!: ComplianceResponse;
}

export class QueueSummaryResponse {
  @Count({ description: 'withdrawals in status pending, on all pages' })
  totalPending!: number;
  @MoneyText({ description: 'their sum' })
  totalPendingValue!: string;
  @Instant({
    nullable: true,
    description: 'when the oldest pending withdrawal was requested; null without one',
  })
  oldestPending!: string | null;
  @Count({
    nullable: true,
    description: 'average seconds since the requests; null without a pending withdrawal',
  })
  averageWaitTime!: number | null;
}
