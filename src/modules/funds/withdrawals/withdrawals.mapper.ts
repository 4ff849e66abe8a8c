import type { Money } from '../../../common/money.js';
import type { UserTier } from '../../identity/users/domain/limit-tier.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { toQueueSummary } from '../../../http/response/queue-summary.js';
import type { Rows } from '../../../http/request/pagination.js';
import { toComplianceResponse, toRestrictions } from '../../identity/users/users.mapper.js';
import { leftOf } from './domain/limit-windows.js';
import { isCancellable, isHeldByPlatformLimit } from './domain/withdrawal.state-machine.js';
import type {
  AdminWithdrawalDetailResponse,
  AdminWithdrawalResponse,
  BasicWithdrawalListResponse,
  BulkTakeResponse,
  QueuedWithdrawalResponse,
  WithdrawalLimitsResponse,
  WithdrawalListSummaryResponse,
  WithdrawalStepResponse,
  WithdrawalTermsResponse,
} from './dto/admin-withdrawal.response.js';
import type {
  RequestedWithdrawalResponse,
  WithdrawalDetailResponse,
  WithdrawalListResponse,
  WithdrawalResponse,
} from './dto/withdrawal.response.js';
import type {
  BulkCompleteResponse,
  BulkRejectResponse,
  PaymentFileLineResponse,
  RefusedOutcomeResponse,
} from './dto/withdrawal-batches.response.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import {
  GAS_FEE,
  PAYMENT_NETWORK,
  SOURCE,
  type AdminWithdrawal,
  type BatchResult,
  type BulkTakeResult,
  type LifecycleStep,
  type NewWithdrawal,
  type PaymentFile,
  type PaymentFileLine,
  type WithdrawalHistory,
  type WithdrawalListTotals,
  type WithdrawalQueue,
} from './withdrawals.types.js';
import type { Page, PageRequest } from '../../../lists/list-page.js';

/** Adds the field `trace_id` to the envelope, because clients of this route may read the trace id in either spelling. */
export function toRequestedWithdrawal(row: NewWithdrawal): EnvelopedResponse<RequestedWithdrawalResponse> {
  return new EnvelopedResponse(toRequestedWithdrawalResponse(row), { trace_id: true });
}

function toRequestedWithdrawalResponse(row: NewWithdrawal): RequestedWithdrawalResponse {
  return {
    id: row.id,
    status: row.status,
    heldByPlatformLimit: isHeldByPlatformLimit(row),
    amount: row.amount.toWire(),
    currency: row.currency,
  };
}

function toWithdrawalResponse(row: NewWithdrawal): WithdrawalResponse {
  return {
    ...toRequestedWithdrawalResponse(row),
    toAddress: row.toAddress,
    createdAt: row.createdAt.toISOString(),
    txHash: row.txHash ?? '',
    cancellable: isCancellable(row),
    ...toCancellation(row),
    failureReason: row.status === 'failed' ? row.note : null,
    returned: row.returnedAt !== null,
    returnedAt: row.returnedAt?.toISOString() ?? null,
  };
}

export function toWithdrawalDetailResponse(row: Withdrawal): WithdrawalDetailResponse {
  return {
    ...toWithdrawalResponse(row),
    completedAt: row.completedAt?.toISOString() ?? null,
    rejectionReason: row.status === 'rejected' ? row.note : null,
  };
}

export function toWithdrawalPage(
  { rows, ...page }: Rows<Withdrawal>,
  query: PageRequest,
): EnvelopedResponse<WithdrawalListResponse> {
  return pagedResponse({ requests: rows.map(toWithdrawalResponse) }, query, page);
}

/** Fields that tell a withdrawal cancelled by its user from one rejected by an operator; both have the status `rejected`. */
function toCancellation({ cancelledAt }: { readonly cancelledAt: Date | null }) {
  return { cancelledByUser: cancelledAt !== null, cancelledAt: cancelledAt?.toISOString() ?? null };
}

export function toAdminWithdrawalResponse(row: AdminWithdrawal): AdminWithdrawalResponse {
  return {
    id: row.id,
    userId: row.userId,
    userEmail: row.userEmail,
    userStatus: row.userStatus,
    walletAddress: row.walletAddress,
    ...toPaymentFields(row),
    status: row.status,
    heldByPlatformLimit: isHeldByPlatformLimit(row),
    createdAt: row.createdAt.toISOString(),
    approvedAt: row.approvedAt?.toISOString() ?? null,
    approvedBy: row.approvedBy,
    takenBy: row.takenBy,
    takenAt: row.executedAt?.toISOString() ?? null,
    executedAt: row.executedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    completedBy: row.completedBy,
    ...toCancellation(row),
    releasedAt: row.releasedAt?.toISOString() ?? null,
  };
}

function toPaymentFields(row: AdminWithdrawal) {
  return {
    amount: row.amount.toWire(),
    currency: row.currency,
    destinationAddress: row.toAddress,
    addressChecksum: row.addressChecksum,
    source: SOURCE,
    gasFee: GAS_FEE.toWire(),
    txHash: row.txHash,
    chainCheck: row.chainCheck,
    chainCheckReason: row.chainCheckReason,
    note: row.note,
  };
}

function toWithdrawalListSummaryResponse(totals: WithdrawalListTotals): WithdrawalListSummaryResponse {
  return {
    totalWithdrawals: totals.total,
    totalWithdrawnValue: totals.completedAmount.toWire(),
    pendingWithdrawals: totals.pending,
    pendingValue: totals.pendingAmount.toWire(),
    completedToday: totals.completedToday,
    completedTodayValue: totals.completedTodayAmount.toWire(),
    averageWithdrawal: totals.averageAmount.toWire(),
    averageProcessingTime: totals.averageProcessingSeconds,
    asOf: totals.asOf.toISOString(),
  };
}

/** One page with the summary of the list, or the basic view. */
export function toAdminWithdrawalPage(
  { rows, totals, ...page }: Page<AdminWithdrawal> & { totals: WithdrawalListTotals },
  query: PageRequest & { view?: 'basic' },
): EnvelopedResponse<AdminWithdrawalResponse[]> | BasicWithdrawalListResponse {
  const withdrawals = rows.map(toAdminWithdrawalResponse);
  if (query.view === 'basic') {
    const { next, previous } = page;
    return { withdrawals, total: totals.total, next, previous };
  }
  return pagedResponse(
    withdrawals,
    query,
    { ...page, ...totals },
    {
      summary: toWithdrawalListSummaryResponse(totals),
    },
  );
}

export function toWithdrawalQueuePage(
  { rows, totals, ...page }: WithdrawalQueue,
  query: PageRequest,
): EnvelopedResponse<QueuedWithdrawalResponse[]> {
  return pagedResponse(
    rows.map(toQueuedWithdrawalResponse),
    query,
    { ...page, ...totals },
    { summary: toQueueSummary(totals) },
  );
}

function toQueuedWithdrawalResponse(row: WithdrawalQueue['rows'][number]): QueuedWithdrawalResponse {
  return {
    ...toAdminWithdrawalResponse(row),
    limits: toWithdrawalLimitsResponse(row.userTier, row.usedToday),
    userBalance: { available: row.available.toWire(), invested: row.invested.toWire() },
    complianceChecks: toComplianceResponse(row.compliance),
  };
}

export function toBulkTakeResponse({ taken, failed }: BulkTakeResult): BulkTakeResponse {
  return { taken, failed: failed.map(({ id, code, message }) => ({ id, code, message })) };
}

export function toBulkCompleteResponse({ changed, failed }: BatchResult): BulkCompleteResponse {
  return { completed: changed, failed: failed.map(toRefusedOutcomeResponse) };
}

export function toBulkRejectResponse({ changed, failed }: BatchResult): BulkRejectResponse {
  return { rejected: changed, failed: failed.map(toRefusedOutcomeResponse) };
}

function toRefusedOutcomeResponse({
  approvalId,
  ...refusal
}: BatchResult['failed'][number]): RefusedOutcomeResponse {
  return approvalId === null ? refusal : { ...refusal, approvalId };
}

export function toPaymentFile({ lines, hasMore }: PaymentFile): EnvelopedResponse<PaymentFileLineResponse[]> {
  return new EnvelopedResponse(lines.map(toPaymentFileLineResponse), { hasMore });
}

export function toPaymentFileLineResponse(line: PaymentFileLine): PaymentFileLineResponse {
  return {
    id: line.id,
    amount: line.amount.toWire(),
    currency: line.currency,
    network: PAYMENT_NETWORK,
    toAddress: line.toAddress,
    userEmail: line.userEmail,
    takenAt: line.takenAt.toISOString(),
  };
}

export function toAdminWithdrawalDetailResponse(row: WithdrawalHistory): AdminWithdrawalDetailResponse {
  return {
    ...toAdminWithdrawalResponse(row),
    user: {
      id: row.userId,
      email: row.userEmail,
      walletAddress: row.walletAddress,
      verificationStatus: row.compliance.kycStatus,
      accountCreated: row.accountCreatedAt.toISOString(),
    },
    ...toRestrictions(row),
    withdrawal: toTermsResponse(row),
    addressBook: {
      known: row.addressSince !== null,
      since: row.addressSince?.toISOString() ?? null,
      paidCount: row.addressPaidCount,
    },
    limits: {
      ...toWithdrawalLimitsResponse(row.userTier, row.usedToday),
      lifetimeWithdrawn: row.lifetimeWithdrawn.toWire(),
    },
    complianceChecks: toComplianceResponse(row.compliance),
    lifecycle: row.lifecycle.map(toStepResponse),
  };
}

function toWithdrawalLimitsResponse({ withdrawal }: UserTier, used: Money): WithdrawalLimitsResponse {
  return {
    dailyLimit: withdrawal.perDay.toWire(),
    usedToday: used.toWire(),
    remainingToday: leftOf(withdrawal.perDay, used).toWire(),
  };
}

function toTermsResponse(row: AdminWithdrawal): WithdrawalTermsResponse {
  return { ...toPaymentFields(row), netAmount: row.amount.minus(GAS_FEE).toWire() };
}

function toStepResponse({ status, action, at, by, note }: LifecycleStep): WithdrawalStepResponse {
  return { status, action, at: at.toISOString(), by, note };
}
