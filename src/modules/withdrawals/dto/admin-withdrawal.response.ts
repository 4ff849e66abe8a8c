import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Text,
  TextList,
  Uuid,
} from '../../../http/openapi/fields.js';
import { Money } from '../../../common/money.js';
import type { ListTotals } from '../admin-withdrawals.repository.js';
import type { AdminWithdrawal } from '../withdrawals.types.js';
import { USER_STATUSES } from '../../users/users.types.js';
import { CHAIN_CHECK_REASONS, CHAIN_CHECKS } from '../../blockchain/domain/chain-check.js';
import { CHECKSUMS } from '../domain/destination.js';
import { CANCELLED_AT, CANCELLED_BY_USER, toCancellationResponse } from './withdrawal.response.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';
import type { BulkOutcome } from '../withdrawals.service.js';

// What admins see in lists, and after each action. The fields of one withdrawal say the same in every view:

export const SOURCES = ['available', 'investment'] as const;
/** Withdrawals are paid from the available balance; investments are closed first. */
export const SOURCE = 'available';
/** Nothing is kept back for gas: the user gets the whole amount. */
export const GAS_FEE = Money.ZERO;

export const ABOUT = {
  userStatus: 'a withdrawal of a user who is not active cannot be approved, taken or executed, but rejected',
  wallet: 'a wallet that the user has linked',
  executed: 'when an admin called execute; null where it went from take to complete',
  checksum: 'EIP-55 checksum of the address as the user gave it; look twice at a mismatch',
  chain:
    'whether the chain shows a successful USDC transfer of exactly the amount to the address, mined after the request and, ' +
    'where CUSTODY_ADDRESSES is set, sent from one of these; null until completed',
  chainReason:
    'why it is a mismatch: the chain does not know the transaction, it was reverted, it has no transfer of the amount to ' +
    'the address, it is older than the request, its sender is none of CUSTODY_ADDRESSES, or its transfer has paid another ' +
    'withdrawal; null otherwise, and for mismatches of earlier releases',
  released: 'of a failed one: when a reversal made the amount available to the user again',
  note: "the completing admin's note, or why it was rejected or failed",
  gas: 'kept back for gas: nothing in this release',
  source: 'always available in this release',
} as const;

export class AdminWithdrawalResponse {
  @Uuid()
  id!: string;
  @Uuid()
  userId!: string;
  @Text({ example: 'ann@example.org' })
  userEmail!: string;
  @Choice(USER_STATUSES, { description: ABOUT.userStatus })
  userStatus!: string;
  @Text({ nullable: true, description: ABOUT.wallet })
  walletAddress!: string | null;
  @MoneyText()
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  destinationAddress!: string;
  @Choice(CHECKSUMS, { description: ABOUT.checksum })
  addressChecksum!: string;
  @Choice(SOURCES, { description: ABOUT.source })
  source!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @MoneyText({ example: '0.00', description: ABOUT.gas })
  gasFee!: string;
  @Text({ nullable: true })
  txHash!: string | null;
  @Choice(CHAIN_CHECKS, { nullable: true, description: ABOUT.chain })
  chainCheck!: string | null;
  @Choice(CHAIN_CHECK_REASONS, { nullable: true, description: ABOUT.chainReason })
  chainCheckReason!: string | null;
  @Instant()
  createdAt!: string;
  @Instant({ nullable: true })
  approvedAt!: string | null;
  @Text({ nullable: true, example: 'admin@example.com' })
  approvedBy!: string | null;
  @Instant({ nullable: true, description: ABOUT.executed })
  executedAt!: string | null;
  @Instant({ nullable: true })
  completedAt!: string | null;
  @Flag({ description: CANCELLED_BY_USER })
  cancelledByUser!: boolean;
  @Instant({ nullable: true, description: CANCELLED_AT })
  cancelledAt!: string | null;
  @Instant({ nullable: true, description: ABOUT.released })
  releasedAt!: string | null;
  @Text({ nullable: true, description: ABOUT.note })
  note!: string | null;
}

export function toAdminWithdrawalResponse(row: AdminWithdrawal): AdminWithdrawalResponse {
  return {
    id: row.id,
    userId: row.userId,
    userEmail: row.userEmail,
    userStatus: row.userStatus,
    walletAddress: row.walletAddress,
    amount: row.amount.toWire(),
    currency: row.currency,
    destinationAddress: row.toAddress,
    addressChecksum: row.addressChecksum,
    source: SOURCE,
    status: row.status,
    gasFee: GAS_FEE.toWire(),
    txHash: row.txHash,
    chainCheck: row.chainCheck,
    chainCheckReason: row.chainCheckReason,
    createdAt: row.createdAt.toISOString(),
    approvedAt: row.approvedAt?.toISOString() ?? null,
    approvedBy: row.approvedBy,
    executedAt: row.executedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    ...toCancellationResponse(row),
    releasedAt: row.releasedAt?.toISOString() ?? null,
    note: row.note,
  };
}

export class BasicWithdrawalListResponse {
  @ListOf(() => AdminWithdrawalResponse)
  withdrawals!: AdminWithdrawalResponse[];
  @Count({ description: 'withdrawals that the filter selects, on all pages' })
  total!: number;
}

export class WithdrawalListSummaryResponse {
  @Count({
    description: 'withdrawals that the filter selects, on all pages; every figure here is about these',
  })
  totalWithdrawals!: number;
  @MoneyText({ description: 'sum of the completed ones' })
  totalWithdrawnValue!: string;
  @Count({ description: 'those in status pending' })
  pendingWithdrawals!: number;
  @MoneyText({ description: 'sum of those in status pending' })
  pendingValue!: string;
  @Count({ description: 'those completed since midnight UTC' })
  completedToday!: number;
  @MoneyText({ description: 'sum of those completed since midnight UTC' })
  completedTodayValue!: string;
  @MoneyText({ description: 'average amount, whatever the status; 0.00 where there is none' })
  averageWithdrawal!: string;
  @Count({
    nullable: true,
    description: 'seconds from request to completion, of the completed ones; null without one',
  })
  averageProcessingTime!: number | null;
}

export function toWithdrawalListSummaryResponse(
  total: number,
  totals: ListTotals,
): WithdrawalListSummaryResponse {
  return {
    totalWithdrawals: total,
    totalWithdrawnValue: totals.completedAmount.toWire(),
    pendingWithdrawals: totals.pending,
    pendingValue: totals.pendingAmount.toWire(),
    completedToday: totals.completedToday,
    completedTodayValue: totals.completedTodayAmount.toWire(),
    averageWithdrawal: totals.averageAmount.toWire(),
    averageProcessingTime: totals.averageProcessingSeconds,
  };
}

export class WithdrawalLimitsResponse {
  @MoneyText({ example: '50000.00' })
  dailyLimit!: string;
  @MoneyText({
    description: 'by the user in the last 24 hours; what was rejected or released does not count',
  })
  usedToday!: string;
  @MoneyText({ description: 'dailyLimit less usedToday, never below zero' })
  remainingToday!: string;
}

export function toWithdrawalLimitsResponse(dailyLimit: Money, used: Money): WithdrawalLimitsResponse {
  return {
    dailyLimit: dailyLimit.toWire(),
    usedToday: used.toWire(),
    remainingToday: Money.max(dailyLimit.minus(used), Money.ZERO).toWire(),
  };
}

export class RefusedTakeResponse {
  @Uuid()
  id!: string;
  @Text({ example: 'INVALID_STATE' })
  code!: string;
  @Text()
  message!: string;
}

export class BulkTakeResponse {
  @TextList({ description: 'ids of those that are processing now' })
  taken!: string[];
  @ListOf(() => RefusedTakeResponse)
  failed!: RefusedTakeResponse[];
}

export function toBulkTakeResponse({ taken, failed }: BulkOutcome): BulkTakeResponse {
  return { taken, failed: failed.map(({ id, code, message }) => ({ id, code, message })) };
}
