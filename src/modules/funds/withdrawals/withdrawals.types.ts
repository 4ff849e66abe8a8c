import { Money } from '../../../common/money.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import type { QueueTotals } from '../../../lists/queue-totals.js';
import type { TransactionLookup } from '../../providers/chain/domain/chain-check.js';
import type { ComplianceResult } from '../../identity/screening/screening-compliance.service.js';
import type { TierColumns, UserTier } from '../../identity/users/domain/limit-tier.js';
import type { LockColumns, HoldColumns } from '../../identity/users/domain/account-restrictions.js';
import type { AccountLock, SecurityHold, UserStatus } from '../../identity/users/users.types.js';
import type { UsedAmounts, WindowState } from './domain/limit-windows.js';
import type { SearchedState, WithdrawalAction, WithdrawalStatus } from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import type { Page } from '../../../lists/list-page.js';

/** SQL condition over `withdrawal`: the amount is reserved, because the withdrawal is open, or failed and not released. */
export const HOLDS_MONEY = `withdrawal.status in ('pending', 'approved', 'processing', 'failed')
  and withdrawal.released_at is null`;

/** The values of the API's field `source`. */
export const SOURCES = ['available', 'investment'] as const;
/** Withdrawals are paid from the available balance only; users close an investment before they withdraw its money. */
export const SOURCE = 'available';

/** No gas fee is deducted: the user receives the whole amount. */
export const GAS_FEE = Money.ZERO;

/** Operators pay on the network whose chain the service reads. */
export const PAYMENT_NETWORK = 'ERC20';

/** Who changes a withdrawal: a user by id, an admin by e-mail address, a provider by name, the service itself as `system`. */
export interface Actor {
  readonly type: 'user' | 'admin' | 'provider' | 'system';
  readonly id: string;
  /** The e-mail address of the second admin, if one has approved what the admin does. */
  readonly approvedBy?: string | undefined;
}

export const SYSTEM_ACTOR: Actor = { type: 'system', id: 'system' };

/** A withdrawal before it is stored: the database sets `recordedAt`, the real time. */
export type NewWithdrawal = Omit<Withdrawal, 'recordedAt'>;

/** The user of a withdrawal as admins see it. */
export interface WithdrawalOwner {
  readonly userEmail: string;
  readonly userStatus: UserStatus;
  readonly accountCreatedAt: Date;
  /** The user's first linked wallet that is not suspended. */
  readonly walletAddress: string | null;
}

/** Columns that a transition writes besides the status. */
export type TransitionChanges = Partial<
  Pick<
    Withdrawal,
    | 'approvedAt'
    | 'approvedBy'
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
  /** The amount of the newest transfer in the transaction, which can be a part of the withdrawal's amount, or more than it. */
  readonly amount: Money;
}

/** A search of the chain for the payment of a withdrawal. */
export interface PaymentSearch {
  /** `unreachable`: the search did not reach the request. */
  readonly found: UnclaimedPayment | 'unreachable' | null;
  /** The withdrawal before the search; null if it does not exist, or if the chain was not searched. */
  readonly searched: SearchedState | null;
}

/** The result of a provider's report that a payment failed. */
export type ProviderFailureResult = 'failed' | 'already-failed' | 'not-processing' | 'unknown';

/** A payment that an operator makes at the custody provider. */
export type PaymentFileLine = Pick<
  AdminWithdrawal,
  'id' | 'amount' | 'currency' | 'toAddress' | 'userEmail'
> & { readonly takenAt: Date };

/** A payment file in JSON. With `hasMore` some payments are left out. */
export interface PaymentFile {
  readonly lines: readonly PaymentFileLine[];
  readonly hasMore: boolean;
}

/** Why one withdrawal of several was not changed. */
export interface RefusedChange {
  readonly id: string;
  readonly code: ErrorCode;
  readonly message: string;
  /** The approval for which the change waits; absent if it was refused. */
  readonly approvalId?: string;
}

export interface BulkTakeResult {
  readonly taken: string[];
  readonly failed: RefusedChange[];
}

/** The outcome of each withdrawal of several. */
export interface BatchResult {
  /** Ids of those that are completed or rejected, now or by an earlier request of the same admin. */
  readonly changed: string[];
  readonly failed: RefusedChange[];
}

/** What has paused withdrawals: an admin, or the integrity check after it found a violation. */
export type PauseCause = 'admin' | 'integrity-check';

export interface WithdrawalAllowance {
  readonly tier: UserTier;
  readonly used: UsedAmounts;
  readonly windows: readonly WindowState[];
  /** What has paused the withdrawals of all users; null while they are not paused. */
  readonly pauseCause: PauseCause | null;
  /** The security hold of the user; null without one. */
  readonly hold: SecurityHold | null;
  /** Null if the account of the user is not locked. */
  readonly lock: AccountLock | null;
}

/** A withdrawal with its user, as admins see it. */
export interface AdminWithdrawal extends Readonly<Withdrawal>, WithdrawalOwner {}

export interface QueuedWithdrawal extends AdminWithdrawal, TierColumns {
  /** The part of `UsedAmounts` of the last 24 hours. */
  readonly usedToday: Money;
  readonly available: Money;
  readonly invested: Money;
}

export interface WithdrawalDetail extends AdminWithdrawal, HoldColumns, LockColumns, TierColumns {
  /** When the user added the address to the address book; null if the address book does not have it now. */
  readonly addressSince: Date | null;
  /** Number of other completed withdrawals of the user to the address. */
  readonly addressPaidCount: number;
  readonly usedToday: Money;
  /** Sum of all completed withdrawals of the user. */
  readonly lifetimeWithdrawn: Money;
}

export interface LifecycleStep {
  readonly status: WithdrawalStatus;
  readonly action: WithdrawalAction;
  readonly at: Date;
  /** The e-mail address of the user or admin, the name of the provider, or `system`. */
  readonly by: string;
  readonly note: string | null;
}

/** A row with the tier of its user and the compliance result that an admin decides by. */
export type WithCompliance<Row> = Row & {
  readonly compliance: ComplianceResult;
  readonly userTier: UserTier;
};

export interface WithdrawalQueue extends Page<WithCompliance<QueuedWithdrawal>> {
  readonly totals: QueueTotals;
}

export type WithdrawalHistory = WithCompliance<WithdrawalDetail> & {
  readonly lifecycle: readonly LifecycleStep[];
  /** The security hold of the user; null without one. */
  readonly hold: SecurityHold | null;
  /** Null if the account of the user is not locked. */
  readonly lock: AccountLock | null;
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
