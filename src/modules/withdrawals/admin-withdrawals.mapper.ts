import type { Money } from '../../common/money.js';
import { toComplianceResponse } from '../users/users.mapper.js';
import { leftOfDailyLimit } from './domain/daily-limit.js';
import type {
  AdminWithdrawalResponse,
  BulkTakeResponse,
  QueuedWithdrawalResponse,
  WithdrawalLimitsResponse,
  WithdrawalListSummaryResponse,
} from './dto/admin-withdrawal.response.js';
import type {
  AdminWithdrawalDetailResponse,
  WithdrawalStepResponse,
  WithdrawalTermsResponse,
} from './dto/admin-withdrawal-detail.response.js';
import {
  GAS_FEE,
  SOURCE,
  type AdminWithdrawal,
  type BulkTakeResult,
  type LifecycleStep,
  type WithdrawalHistory,
  type WithdrawalListTotals,
  type WithdrawalQueue,
} from './withdrawals.types.js';
import { toCancellation } from './withdrawals.mapper.js';

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

export function toWithdrawalListSummaryResponse(totals: WithdrawalListTotals): WithdrawalListSummaryResponse {
  return {
    totalWithdrawals: totals.total,
    totalWithdrawnValue: totals.completedAmount.toWire(),
    pendingWithdrawals: totals.pending,
    pendingValue: totals.pendingAmount.toWire(),
    completedToday: totals.completedToday,
    completedTodayValue: totals.completedTodayAmount.toWire(),
    averageWithdrawal: totals.averageAmount.toWire(),
    averageProcessingTime: totals.averageProcessingSeconds,
  };
}

export function toQueuedWithdrawalResponse(
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
