import {
  AsOf,
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  NextCursor,
  PreviousCursor,
  Text,
  TextList,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { AccountLockResponse, HoldResponse } from '../../../identity/users/dto/security-hold.response.js';
import { USER_STATUSES } from '../../../identity/users/users.types.js';
import { CHAIN_CHECK_REASONS, CHAIN_CHECKS } from '../../../providers/chain/domain/chain-check.js';
import { CHECKSUMS } from '../../addresses/domain/destination.js';
import { ComplianceResponse } from '../../../identity/users/dto/profile.response.js';
import { SOURCES } from '../withdrawals.types.js';
import { WITHDRAWAL_ACTIONS, WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';
import { CANCELLED_AT, CANCELLED_BY_USER, HELD_BY_PLATFORM_LIMIT } from './withdrawal.response.js';

/** Descriptions of fields, some of which several responses share. */
const ABOUT = {
  userStatus:
    'a withdrawal of a user who is not active cannot be approved, taken or executed; it can be rejected',
  wallet: "the user's first linked wallet that is not suspended; null without one",
  approvedAt:
    'when an admin approved the withdrawal; null if it was not approved, which the short flow does not need, and after a return',
  approvedBy: 'e-mail address of the admin who approved it; null as approvedAt',
  takenBy:
    'e-mail address of the admin who took or executed the withdrawal; null until then, and again after a return',
  takenAt: 'when an admin took or executed the withdrawal, which began its processing; null as takenBy',
  executed: 'the same time as takenAt',
  completedBy: 'e-mail address of the admin who completed the withdrawal; null until completed',
  checksum: 'EIP-55 checksum of the address as the user gave it; a mismatch may be a typing error',
  chain:
    'whether the chain shows a successful USDC transfer of exactly the amount to the address, mined after the request and, ' +
    'where CUSTODY_ADDRESSES is set, sent from one of these; `unverified` is read again and can become `mismatch`; null until completed',
  chainReason:
    'why the check is a mismatch: the chain does not know the transaction, it was reverted, it has no transfer of the amount to ' +
    'the address, it is older than the request, its sender is none of CUSTODY_ADDRESSES, or its transfer has paid another ' +
    'withdrawal; null otherwise',
  released: 'when a reversal made the amount of a failed withdrawal available to the user again',
  note: "the completing admin's note, or the reason of the rejection, failure or return",
  gas: 'deducted for gas: always zero in this release',
  source: 'always `available` in this release: withdrawals are paid from the available balance',
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
  @MoneyText({ description: 'requested amount in USDC, before gasFee' })
  amount!: string;
  @Choice(['USDC'])
  currency!: string;
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  destinationAddress!: string;
  @Choice(CHECKSUMS, { description: ABOUT.checksum })
  addressChecksum!: string;
  @Choice(SOURCES, { description: ABOUT.source })
  source!: string;
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @Flag({ description: HELD_BY_PLATFORM_LIMIT })
  heldByPlatformLimit!: boolean;
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
  @Instant({ nullable: true, description: ABOUT.approvedAt })
  approvedAt!: string | null;
  @Text({ nullable: true, example: 'admin@example.com', description: ABOUT.approvedBy })
  approvedBy!: string | null;
  @Instant({ nullable: true, description: ABOUT.executed })
  executedAt!: string | null;
  @Instant({ nullable: true, description: 'null until completed' })
  completedAt!: string | null;
  @Flag({ description: CANCELLED_BY_USER })
  cancelledByUser!: boolean;
  @Instant({ nullable: true, description: CANCELLED_AT })
  cancelledAt!: string | null;
  @Instant({ nullable: true, description: ABOUT.released })
  releasedAt!: string | null;
  @Text({ nullable: true, description: ABOUT.note })
  note!: string | null;
  @Text({ nullable: true, example: 'admin@example.com', description: ABOUT.takenBy })
  takenBy!: string | null;
  @Instant({ nullable: true, description: ABOUT.takenAt })
  takenAt!: string | null;
  @Text({ nullable: true, example: 'admin@example.com', description: ABOUT.completedBy })
  completedBy!: string | null;
}

export class BasicWithdrawalListResponse {
  @ListOf(() => AdminWithdrawalResponse)
  withdrawals!: AdminWithdrawalResponse[];
  @Count({ description: 'withdrawals that the filter selects, on all pages' })
  total!: number;
  @NextCursor() next!: string | null;
  @PreviousCursor() previous!: string | null;
}

export class WithdrawalListSummaryResponse {
  @Count({
    description: 'withdrawals that the filter selects, on all pages; every figure here is about these',
  })
  totalWithdrawals!: number;
  @MoneyText({ description: 'sum of the completed withdrawals' })
  totalWithdrawnValue!: string;
  @Count({ description: 'withdrawals in status pending' })
  pendingWithdrawals!: number;
  @MoneyText({ description: 'sum of the withdrawals in status pending' })
  pendingValue!: string;
  @Count({ description: 'withdrawals completed since midnight UTC' })
  completedToday!: number;
  @MoneyText({ description: 'sum of the withdrawals completed since midnight UTC' })
  completedTodayValue!: string;
  @MoneyText({ description: 'average amount of all statuses; 0.00 without a withdrawal' })
  averageWithdrawal!: string;
  @Count({
    nullable: true,
    description: 'average seconds from request to completion; null without a completed withdrawal',
  })
  averageProcessingTime!: number | null;
  @AsOf() asOf!: string;
}

export class WithdrawalLimitsResponse {
  @MoneyText({ example: '50000.00', description: 'USDC that the user can withdraw in 24 hours, by the tier' })
  dailyLimit!: string;
  @MoneyText({
    description:
      'sum of the withdrawals that the user requested in the last 24 hours, except rejected and released ones',
  })
  usedToday!: string;
  @MoneyText({ description: 'dailyLimit less usedToday, never below zero' })
  remainingToday!: string;
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
  @TextList({ description: 'ids of the withdrawals that this request has taken' })
  taken!: string[];
  @ListOf(() => RefusedTakeResponse)
  failed!: RefusedTakeResponse[];
}

export class UserBalanceResponse {
  @MoneyText({ description: 'USDC that the user can withdraw or invest, without reserved amounts' })
  available!: string;
  @MoneyText({ description: 'principal of the open investments of the user' })
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
  @MoneyText({ description: 'sum of these withdrawals' })
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
  @AsOf() asOf!: string;
}

export class WithdrawalOwnerResponse {
  @Uuid()
  id!: string;
  @Text({ example: 'ann@example.org' })
  email!: string;
  @Text({ nullable: true, description: ABOUT.wallet })
  walletAddress!: string | null;
  @Text({ example: 'not_checked' })
  verificationStatus!: string;
  @Instant()
  accountCreated!: string;
}

export class WithdrawalTermsResponse {
  @MoneyText({ description: 'requested amount in USDC, before gasFee' })
  amount!: string;
  @Choice(['USDC'])
  currency!: string;
  @Text({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
  destinationAddress!: string;
  @Choice(CHECKSUMS, { description: ABOUT.checksum })
  addressChecksum!: string;
  @Choice(SOURCES, { description: ABOUT.source })
  source!: string;
  @MoneyText({ example: '0.00', description: ABOUT.gas })
  gasFee!: string;
  @MoneyText({ description: 'amount − gasFee: the amount that arrives' })
  netAmount!: string;
  @Text({ nullable: true })
  txHash!: string | null;
  @Choice(CHAIN_CHECKS, { nullable: true, description: ABOUT.chain })
  chainCheck!: string | null;
  @Choice(CHAIN_CHECK_REASONS, { nullable: true, description: ABOUT.chainReason })
  chainCheckReason!: string | null;
  @Text({ nullable: true, description: ABOUT.note })
  note!: string | null;
}

export class AddressBookResponse {
  @Flag({ description: "the user's address book has destinationAddress, in any letter case" })
  known!: boolean;
  @Instant({
    nullable: true,
    description: 'when the user added the address; null if the address book does not have it',
  })
  since!: string | null;
  @Count({ description: 'completed withdrawals of the user to the address' })
  paidCount!: number;
}

export class LifetimeLimitsResponse extends WithdrawalLimitsResponse {
  @MoneyText({ description: 'sum of all completed withdrawals of the user' })
  lifetimeWithdrawn!: string;
}

export class WithdrawalStepResponse {
  @Choice(WITHDRAWAL_STATUSES)
  status!: string;
  @Choice(WITHDRAWAL_ACTIONS, {
    description:
      'the action that led to the status; hold and unhold: the wait because of the limit of the platform began and ended',
  })
  action!: string;
  @Instant()
  at!: string;
  @Text({ description: 'e-mail address of the user or admin, the name of the provider, or system' })
  by!: string;
  @Text({
    nullable: true,
    description: 'a note, or the reason of a rejection, failure or return',
  })
  note!: string | null;
}

export class AdminWithdrawalDetailResponse extends AdminWithdrawalResponse {
  @Nested(() => WithdrawalOwnerResponse) user!: WithdrawalOwnerResponse;
  @Nested(() => HoldResponse, { nullable: true, description: 'of the user; refuses new withdrawals only' })
  hold!: HoldResponse | null;
  @Nested(() => AccountLockResponse, { nullable: true, description: 'of the user; refuses approve and take' })
  locked!: AccountLockResponse | null;
  @Nested(() => WithdrawalTermsResponse) withdrawal!: WithdrawalTermsResponse;
  @Nested(() => AddressBookResponse) addressBook!: AddressBookResponse;
  @Nested(() => LifetimeLimitsResponse)
  limits!: LifetimeLimitsResponse;
  @Nested(() => ComplianceResponse)
  complianceChecks!: ComplianceResponse;
  @ListOf(() => WithdrawalStepResponse, {
    description: 'all actions on the withdrawal, oldest first',
  })
  lifecycle!: WithdrawalStepResponse[];
}
