import {
  AsOfField,
  BooleanField,
  EnumField,
  InstantField,
  IntegerField,
  ListField,
  MoneyField,
  NestedField,
  NextCursorField,
  PreviousCursorField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import {
  AccountLockResponse,
  ComplianceResponse,
  HoldResponse,
} from '../../../identity/users/dto/user.response.js';
import { USER_STATUSES } from '../../../identity/users/users.types.js';
import { CHAIN_CHECK_REASONS, CHAIN_CHECKS } from '../../../providers/chain/domain/chain-check.js';
import { CHECKSUMS, EVM_NETWORKS } from '../../addresses/domain/destination.js';
import { WITHDRAWAL_ACTIONS, WITHDRAWAL_STATUSES } from '../domain/withdrawal.state-machine.js';
import { SOURCES } from '../withdrawals.types.js';
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
  @UuidField() id!: string;
  @UuidField() userId!: string;
  @StringField({ example: 'ann@example.org' }) userEmail!: string;
  @EnumField(USER_STATUSES, { description: ABOUT.userStatus }) userStatus!: string;
  @StringField({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @MoneyField({ description: 'requested amount in USDC, before gasFee' }) amount!: string;
  @EnumField(['USDC']) currency!: string;
  @StringField({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }) destinationAddress!: string;
  @EnumField(CHECKSUMS, { description: ABOUT.checksum }) addressChecksum!: string;
  @EnumField(SOURCES, { description: ABOUT.source }) source!: string;
  @EnumField(WITHDRAWAL_STATUSES) status!: string;
  @BooleanField({ description: HELD_BY_PLATFORM_LIMIT }) heldByPlatformLimit!: boolean;
  @MoneyField({ example: '0.00', description: ABOUT.gas }) gasFee!: string;
  @StringField({ nullable: true }) txHash!: string | null;
  @EnumField(CHAIN_CHECKS, { nullable: true, description: ABOUT.chain }) chainCheck!: string | null;
  @EnumField(CHAIN_CHECK_REASONS, { nullable: true, description: ABOUT.chainReason })
  chainCheckReason!: string | null;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true, description: ABOUT.approvedAt }) approvedAt!: string | null;
  @StringField({ nullable: true, example: 'admin@example.com', description: ABOUT.approvedBy })
  approvedBy!: string | null;
  @InstantField({ nullable: true, description: ABOUT.executed }) executedAt!: string | null;
  @InstantField({ nullable: true, description: 'null until completed' }) completedAt!: string | null;
  @BooleanField({ description: CANCELLED_BY_USER }) cancelledByUser!: boolean;
  @InstantField({ nullable: true, description: CANCELLED_AT }) cancelledAt!: string | null;
  @InstantField({ nullable: true, description: ABOUT.released }) releasedAt!: string | null;
  @StringField({ nullable: true, description: ABOUT.note }) note!: string | null;
  @StringField({ nullable: true, example: 'admin@example.com', description: ABOUT.takenBy })
  takenBy!: string | null;
  @InstantField({ nullable: true, description: ABOUT.takenAt }) takenAt!: string | null;
  @StringField({ nullable: true, example: 'admin@example.com', description: ABOUT.completedBy })
  completedBy!: string | null;
}

export class BasicWithdrawalListResponse {
  @ListField(() => AdminWithdrawalResponse) withdrawals!: AdminWithdrawalResponse[];
  @IntegerField({ description: 'withdrawals that the filter selects, on all pages' }) total!: number;
  @NextCursorField() next!: string | null;
  @PreviousCursorField() previous!: string | null;
}

export class WithdrawalListSummaryResponse {
  @IntegerField({
    description: 'withdrawals that the filter selects, on all pages; every figure here is about these',
  })
  totalWithdrawals!: number;
  @MoneyField({ description: 'sum of the completed withdrawals' }) totalWithdrawnValue!: string;
  @IntegerField({ description: 'withdrawals in status pending' }) pendingWithdrawals!: number;
  @MoneyField({ description: 'sum of the withdrawals in status pending' }) pendingValue!: string;
  @IntegerField({ description: 'withdrawals completed since midnight UTC' }) completedToday!: number;
  @MoneyField({ description: 'sum of the withdrawals completed since midnight UTC' })
  completedTodayValue!: string;
  @MoneyField({ description: 'average amount of all statuses; 0.00 without a withdrawal' })
  averageWithdrawal!: string;
  @IntegerField({
    nullable: true,
    description: 'average seconds from request to completion; null without a completed withdrawal',
  })
  averageProcessingTime!: number | null;
  @AsOfField() asOf!: string;
}

export class WithdrawalLimitsResponse {
  @MoneyField({
    example: '50000.00',
    description: 'USDC that the user can withdraw in 24 hours, by the tier',
  })
  dailyLimit!: string;
  @MoneyField({
    description:
      'sum of the withdrawals that the user requested in the last 24 hours, except rejected and released ones',
  })
  usedToday!: string;
  @MoneyField({ description: 'dailyLimit less usedToday, never below zero' }) remainingToday!: string;
}

export class UserBalanceResponse {
  @MoneyField({ description: 'USDC that the user can withdraw or invest, without reserved amounts' })
  available!: string;
  @MoneyField({ description: 'principal of the open investments of the user' }) invested!: string;
}

export class QueuedWithdrawalResponse extends AdminWithdrawalResponse {
  @NestedField(() => WithdrawalLimitsResponse) limits!: WithdrawalLimitsResponse;
  @NestedField(() => UserBalanceResponse) userBalance!: UserBalanceResponse;
  @NestedField(() => ComplianceResponse) complianceChecks!: ComplianceResponse;
}

export class QueueSummaryResponse {
  @IntegerField({ description: 'withdrawals in status pending, on all pages' }) totalPending!: number;
  @MoneyField({ description: 'sum of these withdrawals' }) totalPendingValue!: string;
  @InstantField({
    nullable: true,
    description: 'when the oldest pending withdrawal was requested; null without one',
  })
  oldestPending!: string | null;
  @IntegerField({
    nullable: true,
    description: 'average seconds since the requests; null without a pending withdrawal',
  })
  averageWaitTime!: number | null;
  @AsOfField() asOf!: string;
}

export class WithdrawalOwnerResponse {
  @UuidField() id!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @StringField({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @StringField({ example: 'not_checked' }) verificationStatus!: string;
  @InstantField() accountCreated!: string;
}

export class WithdrawalTermsResponse {
  @MoneyField({ description: 'requested amount in USDC, before gasFee' }) amount!: string;
  @EnumField(['USDC']) currency!: string;
  @StringField({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }) destinationAddress!: string;
  @EnumField(CHECKSUMS, { description: ABOUT.checksum }) addressChecksum!: string;
  @EnumField(SOURCES, { description: ABOUT.source }) source!: string;
  @MoneyField({ example: '0.00', description: ABOUT.gas }) gasFee!: string;
  @MoneyField({ description: 'amount − gasFee: the amount that arrives' }) netAmount!: string;
  @StringField({ nullable: true }) txHash!: string | null;
  @EnumField(CHAIN_CHECKS, { nullable: true, description: ABOUT.chain }) chainCheck!: string | null;
  @EnumField(CHAIN_CHECK_REASONS, { nullable: true, description: ABOUT.chainReason })
  chainCheckReason!: string | null;
  @StringField({ nullable: true, description: ABOUT.note }) note!: string | null;
}

export class AddressBookResponse {
  @BooleanField({ description: "the user's address book has destinationAddress, in any letter case" })
  known!: boolean;
  @InstantField({
    nullable: true,
    description: 'when the user added the address; null if the address book does not have it',
  })
  since!: string | null;
  @IntegerField({ description: 'other withdrawals of the user to the address that were completed' })
  paidCount!: number;
}

export class LifetimeLimitsResponse extends WithdrawalLimitsResponse {
  @MoneyField({ description: 'sum of all completed withdrawals of the user' }) lifetimeWithdrawn!: string;
}

export class WithdrawalStepResponse {
  @EnumField(WITHDRAWAL_STATUSES) status!: string;
  @EnumField(WITHDRAWAL_ACTIONS, {
    description:
      'the action that led to the status; hold and unhold: the wait because of the limit of the platform began and ended',
  })
  action!: string;
  @InstantField() at!: string;
  @StringField({ description: 'e-mail address of the user or admin, the name of the provider, or system' })
  by!: string;
  @StringField({
    nullable: true,
    description: 'a note, or the reason of a rejection, failure or return',
  })
  note!: string | null;
}

export class AdminWithdrawalDetailResponse extends AdminWithdrawalResponse {
  @NestedField(() => WithdrawalOwnerResponse) user!: WithdrawalOwnerResponse;
  @NestedField(() => HoldResponse, {
    nullable: true,
    description: 'of the user; refuses new withdrawals only',
  })
  hold!: HoldResponse | null;
  @NestedField(() => AccountLockResponse, {
    nullable: true,
    description: 'of the user; refuses approve and take',
  })
  locked!: AccountLockResponse | null;
  @NestedField(() => WithdrawalTermsResponse) withdrawal!: WithdrawalTermsResponse;
  @NestedField(() => AddressBookResponse) addressBook!: AddressBookResponse;
  @NestedField(() => LifetimeLimitsResponse) limits!: LifetimeLimitsResponse;
  @NestedField(() => ComplianceResponse) complianceChecks!: ComplianceResponse;
  @ListField(() => WithdrawalStepResponse, {
    description: 'all actions on the withdrawal, oldest first',
  })
  lifecycle!: WithdrawalStepResponse[];
}

export class RefusedTakeResponse {
  @UuidField() id!: string;
  @StringField({ example: 'INVALID_STATE' }) code!: string;
  @StringField() message!: string;
}

export class BulkTakeResponse {
  @StringListField({ description: 'ids of the withdrawals that this request has taken' }) taken!: string[];
  @ListField(() => RefusedTakeResponse) failed!: RefusedTakeResponse[];
}

export class PaymentFileLineResponse {
  @UuidField() id!: string;
  @MoneyField({ description: 'to be paid' }) amount!: string;
  @EnumField(['USDC']) currency!: string;
  @EnumField(EVM_NETWORKS) network!: string;
  @StringField({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }) toAddress!: string;
  @StringField({ example: 'ann@example.org' }) userEmail!: string;
  @InstantField() takenAt!: string;
}

export class RefusedOutcomeResponse extends RefusedTakeResponse {
  @UuidField({
    optional: true,
    description: 'with FOUR_EYES_REQUIRED: the approval for which the change waits, if it was requested',
  })
  approvalId?: string;
}

export class BulkCompleteResponse {
  @StringListField({
    description:
      'ids of the withdrawals that are completed, by this or an earlier request of the caller with this hash',
  })
  completed!: string[];
  @ListField(() => RefusedOutcomeResponse) failed!: RefusedOutcomeResponse[];
}

export class BulkRejectResponse {
  @StringListField({
    description:
      'ids of the withdrawals that are rejected, by this or an earlier request of the caller for this reason',
  })
  rejected!: string[];
  @ListField(() => RefusedOutcomeResponse) failed!: RefusedOutcomeResponse[];
}
