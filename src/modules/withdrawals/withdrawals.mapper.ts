import type { Money } from '../../common/money.js';
import { EnvelopedResponse, pagedResponse } from '../../http/response/enveloped-response.js';
import { toQueueSummary } from '../../http/response/queue-summary.js';
import type { Rows } from '../../http/request/pagination.js';
import { toComplianceResponse, toHoldResponse } from '../users/users.mapper.js';
import { leftOfDailyLimit } from './domain/daily-limit.js';
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
import type { Withdrawal } from './entities/withdrawal.entity.js';
import {
  GAS_FEE,
  SOURCE,
  type AdminWithdrawal,
  type BulkTakeResult,
  type LifecycleStep,
  type NewWithdrawal,
  type WithdrawalHistory,
  type WithdrawalListTotals,
  type WithdrawalQueue,
} from './withdrawals.types.js';

/** Adds the field `trace_id` to the envelope, because clients of this route may read the trace id in either spelling. */
export function toRequestedWithdrawal(row: NewWithdrawal): EnvelopedResponse<RequestedWithdrawalResponse> {
  return new EnvelopedResponse(toRequestedWithdrawalResponse(row), { trace_id: true });
}

function toRequestedWithdrawalResponse(row: NewWithdrawal): RequestedWithdrawalResponse {
  return { id: row.id, status: row.status, amount: row.amount.toWire(), currency: row.currency };
}

function toWithdrawalResponse(row: NewWithdrawal): WithdrawalResponse {
  return {
    ...toRequestedWithdrawalResponse(row),
    toAddress: row.toAddress,
    createdAt: row.createdAt.toISOString(),
    txHash: row.txHash ?? '',
    ...toCancellation(row),
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
  { rows, total }: Rows<Withdrawal>,
  query: { page: number; limit: number },
): EnvelopedResponse<WithdrawalListResponse> {
  return pagedResponse({ requests: rows.map(toWithdrawalResponse) }, query, total);
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
    createdAt: row.createdAt.toISOString(),
    approvedAt: row.approvedAt?.toISOString() ?? null,
    approvedBy: row.approvedBy,
    executedAt: row.executedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
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
  {
    rows,
    hasNext,
    totals,
  }: { rows: readonly AdminWithdrawal[]; hasNext: boolean; totals: WithdrawalListTotals },
  query: { page: number; limit: number; view?: 'basic' },
): EnvelopedResponse<AdminWithdrawalResponse[]> | BasicWithdrawalListResponse {
  const withdrawals = rows.map(toAdminWithdrawalResponse);
  if (query.view === 'basic') return { withdrawals, total: totals.total };
  return pagedResponse(
    withdrawals,
    query,
    { ...totals, hasNext },
    {
      summary: toWithdrawalListSummaryResponse(totals),
    },
  );
}

export function toWithdrawalQueuePage(
  { rows, hasNext, totals }: WithdrawalQueue,
  query: { page: number; limit: number },
  dailyLimit: Money,
): EnvelopedResponse<QueuedWithdrawalResponse[]> {
  return pagedResponse(
    rows.map((row) => toQueuedWithdrawalResponse(row, dailyLimit)),
    query,
    { ...totals, hasNext },
    { summary: toQueueSummary(totals) },
  );
}

function toQueuedWithdrawalResponse(
  row: WithdrawalQueue['rows'][number],
  dailyLimit: Money,
): QueuedWithdrawalResponse {
  return {
    ...toAdminWithdrawalResponse(row),
    limits: toWithdrawalLimitsResponse(dailyLimit, row.usedToday),
    userBalance: { available: row.available.toWire(), invested: row.invested.toWire() },
    complianceChecks: toComplianceResponse(row.compliance),
  };
}

export function toBulkTakeResponse({ taken, failed }: BulkTakeResult): BulkTakeResponse {
  return { taken, failed: failed.map(({ id, code, message }) => ({ id, code, message })) };
}

export function toAdminWithdrawalDetailResponse(
  row: WithdrawalHistory,
  dailyLimit: Money,
): AdminWithdrawalDetailResponse {
  return {
    ...toAdminWithdrawalResponse(row),
    user: {
      id: row.userId,
      email: row.userEmail,
      walletAddress: row.walletAddress,
      verificationStatus: row.compliance.kycStatus,
      accountCreated: row.accountCreatedAt.toISOString(),
    },
    hold: toHoldResponse(row.hold),
    withdrawal: toTermsResponse(row),
    addressBook: {
      known: row.addressSince !== null,
      since: row.addressSince?.toISOString() ?? null,
      paidCount: row.addressPaidCount,
    },
    limits: {
      ...toWithdrawalLimitsResponse(dailyLimit, row.usedToday),
      lifetimeWithdrawn: row.lifetimeWithdrawn.toWire(),
    },
    complianceChecks: toComplianceResponse(row.compliance),
    lifecycle: row.lifecycle.map(toStepResponse),
  };
}

function toWithdrawalLimitsResponse(dailyLimit: Money, used: Money): WithdrawalLimitsResponse {
  return {
    dailyLimit: dailyLimit.toWire(),
    usedToday: used.toWire(),
    remainingToday: leftOfDailyLimit(dailyLimit, used).toWire(),
  };
}

function toTermsResponse(row: AdminWithdrawal): WithdrawalTermsResponse {
  return { ...toPaymentFields(row), netAmount: row.amount.minus(GAS_FEE).toWire() };
}

function toStepResponse({ status, action, at, by, note }: LifecycleStep): WithdrawalStepResponse {
  return { status, action, at: at.toISOString(), by, note };
}
