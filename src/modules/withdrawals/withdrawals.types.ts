import { Money } from '../../common/money.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import type { QueueTotals } from '../../lists/queue-totals.js';
import type { ChainCheck, ChainCheckReason, TransactionLookup } from '../blockchain/domain/chain-check.js';
import type { ComplianceResult } from '../users/domain/compliance.js';
import type { HoldColumns } from '../users/domain/security-hold.js';
import type { SecurityHold, UserStatus } from '../users/users.types.js';
import type { AddressChecksum } from '../addresses/domain/destination.js';
import type { WithdrawalAction, WithdrawalStatus } from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';

/** SQL condition over `withdrawal`: the amount is reserved, because the withdrawal is open, or failed and not released. */
export const HOLDS_MONEY = `withdrawal.status in ('pending', 'approved', 'processing', 'failed')
  and withdrawal.released_at is null`;

/** The values of the API's field `source`. */
export const SOURCES = ['available', 'investment'] as const;
/** Withdrawals are paid from the available balance only; users close an investment before they withdraw its money. */
export const SOURCE = 'available';

/** No gas fee is deducted: the user receives the whole amount. */
export const GAS_FEE = Money.ZERO;

/** Who changes a withdrawal: a user by id, an admin by e-mail address, a provider by name. */
export interface Actor {
  readonly type: 'user' | 'admin' | 'provider';
  readonly id: string;
  /** The e-mail address of the second admin, if one has approved what the admin does. */
  readonly approvedBy?: string | undefined;
}

/** A withdrawal before it is stored: the database sets `recordedAt`, the real time. */
export type NewWithdrawal = Omit<Withdrawal, 'recordedAt'>;

/** The user of a withdrawal as admins see it. */
export type WithdrawalOwner = Pick<
  AdminWithdrawal,
  'userEmail' | 'userStatus' | 'accountCreatedAt' | 'walletAddress'
>;

/** Columns that a transition writes besides the status. */
export type TransitionChanges = Partial<
  Pick<
    Withdrawal,
    | 'approvedAt'
    | 'approvedBy'
    | 'executedAt'
    | 'completedAt'
    | 'cancelledAt'
    | 'txHash'
    | 'txHashShared'
    | 'chainCheck'
    | 'chainCheckReason'
    | 'chainCheckedAt'
    | 'releasedAt'
    | 'note'
  >
>;

/** The payment that an operator enters to complete a withdrawal. */
export interface EnteredPayment {
  readonly txHash: string;
  readonly note?: string;
  /** Accepts a hash that is recorded already, for a transaction that paid several withdrawals. */
  readonly allowSharedTxHash?: boolean;
}

/** An entered payment with its normalised hash and the result of its lookup on chain. */
export interface CheckedPayment extends EnteredPayment {
  readonly lookup: TransactionLookup;
}

/** A transfer on chain that pays a withdrawal, and that no other withdrawal has claimed. */
export interface UnclaimedPayment {
  readonly txHash: string;
  readonly sender: string;
  /** Of the newest transfer of the transaction; a part of the withdrawal's amount, or more, if custody has paid it so. */
  readonly amount: Money;
}

/** The result of a provider's report that a payment failed. */
export type ProviderFailureResult = 'failed' | 'already-failed' | 'not-processing' | 'unknown';

export interface BulkTakeResult {
  readonly taken: string[];
  readonly failed: { id: string; code: ErrorCode; message: string }[];
}

/** What has paused withdrawals: an admin, or the integrity check after it found a violation. */
export type PauseCause = 'admin' | 'integrity-check';

export interface WithdrawalAllowance {
  readonly minimum: Money;
  readonly dailyLimit: Money;
  /** The used part of the daily limit: the user's withdrawals of the last 24 hours, except rejected and released ones. */
  readonly usedToday: Money;
  readonly leftOfDailyLimit: Money;
  /** What has paused the withdrawals of all users; null while they are not paused. */
  readonly pauseCause: PauseCause | null;
  /** The security hold of the user; null without one. */
  readonly hold: SecurityHold | null;
}

/** A withdrawal with its user, as admins see it. */
export interface AdminWithdrawal {
  readonly id: string;
  readonly userId: string;
  readonly userEmail: string;
  readonly userStatus: UserStatus;
  readonly accountCreatedAt: Date;
  /** The user's first linked wallet that is not suspended. */
  readonly walletAddress: string | null;
  readonly amount: Money;
  readonly currency: string;
  readonly toAddress: string;
  readonly addressChecksum: AddressChecksum;
  readonly status: WithdrawalStatus;
  readonly createdAt: Date;
  readonly approvedAt: Date | null;
  readonly approvedBy: string | null;
  readonly executedAt: Date | null;
  readonly completedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly txHash: string | null;
  readonly chainCheck: ChainCheck | null;
  readonly chainCheckReason: ChainCheckReason | null;
  readonly releasedAt: Date | null;
  readonly note: string | null;
}

export interface QueuedWithdrawal extends AdminWithdrawal {
  /** As in `WithdrawalAllowance`. */
  readonly usedToday: Money;
  readonly available: Money;
  readonly invested: Money;
}

export interface WithdrawalDetail extends AdminWithdrawal, HoldColumns {
  /** When the user added the address to the address book; null if the address book does not have it now. */
  readonly addressSince: Date | null;
  /** Number of completed withdrawals of the user to the address. */
  readonly addressPaidCount: number;
  readonly usedToday: Money;
  /** Sum of all completed withdrawals of the user. */
  readonly lifetimeWithdrawn: Money;
}

export interface LifecycleStep {
  readonly status: WithdrawalStatus;
  readonly action: WithdrawalAction;
  readonly at: Date;
  /** The e-mail address of the user or admin, or the name of the provider. */
  readonly by: string;
  readonly note: string | null;
}

/** A row with the compliance result that an admin decides by. */
export type WithCompliance<Row> = Row & { readonly compliance: ComplianceResult };

export interface WithdrawalQueue {
  readonly rows: WithCompliance<QueuedWithdrawal>[];
  readonly hasNext: boolean;
  readonly totals: QueueTotals;
}

export type WithdrawalHistory = WithCompliance<WithdrawalDetail> & {
  readonly lifecycle: readonly LifecycleStep[];
  /** The security hold of the user; null without one. */
  readonly hold: SecurityHold | null;
};

/** Figures of all withdrawals that a filter selects, on all pages. */
export interface WithdrawalListTotals {
  readonly total: number;
  readonly completedAmount: Money;
  readonly pending: number;
  readonly pendingAmount: Money;
  /** Since midnight UTC. */
  readonly completedToday: number;
  readonly completedTodayAmount: Money;
  /** Of all statuses. */
  readonly averageAmount: Money;
  /** Whole seconds from request to completion; null if no withdrawal is completed. */
  readonly averageProcessingSeconds: number | null;
  /** The time up to which the totals include every change. */
  readonly asOf: Date;
}
