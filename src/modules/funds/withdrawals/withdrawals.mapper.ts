import type { Money } from '../../../common/money.js';
import type { UserTier } from '../../identity/users/domain/limit-tier.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { toQueueSummary } from '../../../http/response/queue-summary.js';
import type { Rows } from '../../../http/request/pagination.js';
import { leftOf } from './domain/limit-windows.js';
import { isCancellable, isHeldByPlatformLimit } from './domain/withdrawal.state-machine.js';
import {
  AdminWithdrawalDetailResponse,
  AdminWithdrawalResponse,
  type BasicWithdrawalListResponse,
  QueuedWithdrawalResponse,
  type WithdrawalListSummaryResponse,
  PaymentFileLineResponse,
} from './dto/admin-withdrawal.response.js';
import {
  RequestedWithdrawalResponse,
  WithdrawalDetailResponse,
  type WithdrawalListResponse,
  WithdrawalResponse,
} from './dto/withdrawal.response.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import {
  GAS_FEE,
  PAYMENT_NETWORK,
  SOURCE,
  type AdminWithdrawal,
  type NewWithdrawal,
  type PaymentFile,
  type PaymentFileLine,
  type WithdrawalHistory,
  type WithdrawalListTotals,
  type WithdrawalQueue,
} from './withdrawals.types.js';
import type { Page, PageRequest } from '../../../lists/list-page.js';
import { toResponse } from '../../../http/response/to-response.js';

/** Adds the field `trace_id` to the envelope, because clients of this route may read the trace id in either spelling. */
export function toRequestedWithdrawal(row: NewWithdrawal): EnvelopedResponse<RequestedWithdrawalResponse> {
  const heldByPlatformLimit = isHeldByPlatformLimit(row);
  const data = toResponse(RequestedWithdrawalResponse, row, { heldByPlatformLimit });
  return new EnvelopedResponse(data, { trace_id: true });
}

function toWithdrawalResponse(row: Withdrawal): WithdrawalResponse {
  return toResponse(WithdrawalResponse, row, stateFields(row));
}

function stateFields(row: Withdrawal) {
  return {
    heldByPlatformLimit: isHeldByPlatformLimit(row),
    txHash: row.txHash ?? '',
    cancellable: isCancellable(row),
    cancelledByUser: row.cancelledAt !== null,
    failureReason: row.status === 'failed' ? row.note : null,
    returned: row.returnedAt !== null,
  };
}

export function toWithdrawalDetailResponse(row: Withdrawal): WithdrawalDetailResponse {
  const rejectionReason = row.status === 'rejected' ? row.note : null;
  return toResponse(WithdrawalDetailResponse, row, { ...stateFields(row), rejectionReason });
}

export function toWithdrawalPage(
  { rows, ...page }: Rows<Withdrawal>,
  query: PageRequest,
): EnvelopedResponse<WithdrawalListResponse> {
  return pagedResponse({ requests: rows.map(toWithdrawalResponse) }, query, page);
}

export function toAdminWithdrawalResponse(row: AdminWithdrawal): AdminWithdrawalResponse {
  return toResponse(AdminWithdrawalResponse, row, adminFields(row));
}

function adminFields(row: AdminWithdrawal) {
  return {
    heldByPlatformLimit: isHeldByPlatformLimit(row),
    takenAt: row.executedAt,
    cancelledByUser: row.cancelledAt !== null,
    ...paymentFields(row),
  };
}

function paymentFields({ toAddress }: AdminWithdrawal) {
  return { destinationAddress: toAddress, source: SOURCE, gasFee: GAS_FEE };
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
  return toResponse(QueuedWithdrawalResponse, row, {
    limits: limitFields(row.userTier, row.usedToday),
    userBalance: row,
    complianceChecks: row.compliance,
    ...adminFields(row),
  });
}

export function toPaymentFile({ lines, hasMore }: PaymentFile): EnvelopedResponse<PaymentFileLineResponse[]> {
  return new EnvelopedResponse(lines.map(toPaymentFileLineResponse), { hasMore });
}

export function toPaymentFileLineResponse(line: PaymentFileLine): PaymentFileLineResponse {
  return toResponse(PaymentFileLineResponse, line, { network: PAYMENT_NETWORK });
}

export function toAdminWithdrawalDetailResponse(row: WithdrawalHistory): AdminWithdrawalDetailResponse {
  return toResponse(AdminWithdrawalDetailResponse, row, {
    ...adminFields(row),
    user: {
      id: row.userId,
      email: row.userEmail,
      walletAddress: row.walletAddress,
      verificationStatus: row.compliance.kycStatus,
      accountCreated: row.accountCreatedAt,
    },
    locked: row.lock,
    withdrawal: { ...row, ...paymentFields(row), netAmount: row.amount.minus(GAS_FEE) },
    addressBook: {
      known: row.addressSince !== null,
      since: row.addressSince,
      paidCount: row.addressPaidCount,
    },
    limits: {
      ...limitFields(row.userTier, row.usedToday),
      lifetimeWithdrawn: row.lifetimeWithdrawn,
    },
    complianceChecks: row.compliance,
  });
}

function limitFields({ withdrawal }: UserTier, used: Money) {
  return { dailyLimit: withdrawal.perDay, usedToday: used, remainingToday: leftOf(withdrawal.perDay, used) };
}
