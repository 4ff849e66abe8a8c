import type { Money } from '../../../common/money.js';
import type { PageRequest } from '../../../lists/list-page.js';
import type { DepositAddress } from '../../funds/deposits/entities/deposit.entity.js';
import type { ComplianceResult } from '../../identity/screening/screening-compliance.service.js';
import type { HoldColumns, LockColumns } from '../../identity/users/domain/account-restrictions.js';
import type { TierColumns, UserTier } from '../../identity/users/domain/limit-tier.js';
import type { User } from '../../identity/users/entities/user.entity.js';
import type { AccountLock, SecurityHold, UserStatus } from '../../identity/users/users.types.js';
import type { LinkedWallet } from '../../identity/wallets/wallets.types.js';
import type { Holding, RiskProfile } from '../../investing/investments/domain/allocation.js';
import type { InvestmentDetails } from '../../investing/investments/domain/investment.js';
import type { AdminUsersQuery } from './dto/admin-users.request.js';

/** The users that an admin's query selects. */
export interface UserFilter extends Pick<
  AdminUsersQuery,
  'status' | 'screening' | 'search' | 'userId' | 'minInvestment' | 'registeredAfter' | 'createdBefore'
> {
  /** Without a provider no stored verdict counts. */
  readonly isScreeningConfigured: boolean;
  /** `email`: `search` is compared with e-mail addresses only, not with names and wallets. */
  readonly searchIn: 'everything' | 'email';
}

export type UserOrder = PageRequest & Pick<AdminUsersQuery, 'sortBy' | 'orderBy'>;

/** A user's active and paused investments in one strategy. */
export interface UserHolding extends Omit<Holding, 'riskLevel'> {
  /** Unrealised, from their principal. */
  readonly growth: Money;
  /** The number of investments. */
  readonly active: number;
}

/** A user with the lifetime figures of `user_figures`. Money is USDC. */
export interface UserWithFigures extends TierColumns {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly status: UserStatus;
  /** The first linked wallet that is not suspended; null without one. */
  readonly walletAddress: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null before the first sign-in. */
  readonly lastLoginAt: Date | null;
  /** The number of investments ever made. A move does not count as a new one, here and in `totalInvested`. */
  readonly investments: number;
  /** Principal of all investments ever made. */
  readonly totalInvested: Money;
  readonly totalWithdrawn: Money;
  /** Realised growth, and that of open investments, before fees. */
  readonly totalEarnings: Money;
  /** The number of rows of `user_transaction`. */
  readonly transactions: number;
  readonly holdings: readonly UserHolding[];
}

export interface ListedUser extends UserWithFigures {
  /** `user`, or the first role of an admin with this e-mail address. */
  readonly role: string;
  readonly limits: UserTier;
  readonly risk: RiskProfile;
}

/** Figures about all users that a filter selects: their number by status, and money in USDC. */
export interface UserListTotals {
  readonly active: number;
  readonly suspended: number;
  readonly inactive: number;
  /** Current value of active and paused investments. */
  readonly tvl: Money;
  /** Current value of open investments, divided by the number of users who have one. */
  readonly averageInvestment: Money;
  /** The time up to which both values include every change. */
  readonly asOf: Date;
}

export interface UserSuggestion {
  readonly id: string;
  readonly email: string;
  /** Trigram similarity of the user's and the searched address, each up to the @, from 0 to 1. */
  readonly similarity: number;
}

export interface UserAccount {
  readonly name: string | null;
  readonly language: string;
  readonly currency: string;
  readonly notifyEmail: boolean;
  readonly notifyPush: boolean;
  /** An admin's e-mail address; null if the user's first sign-in created the account. */
  readonly createdBy: string | null;
}

export interface StatusHistoryEntry {
  readonly status: UserStatus;
  readonly reason: string | null;
  readonly changedAt: Date;
  /** The admin's e-mail address. */
  readonly changedBy: string;
}

export interface AccountWithHistory extends UserAccount {
  readonly id: string;
  readonly email: string;
  readonly status: UserStatus;
  /** The first linked wallet that is not suspended; null without one. */
  readonly walletAddress: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Newest first. */
  readonly history: readonly StatusHistoryEntry[];
}

export interface CreatedUser extends AccountWithHistory {
  /** The wallet that the admin named, checksummed; it is not linked. Null if the admin named none. */
  readonly proposedWallet: string | null;
}

/** A user's account with figures that are computed for one user only. */
export interface AccountWithFigures extends UserWithFigures, UserAccount, HoldColumns, LockColumns {
  /** Available and invested. */
  readonly balance: Money;
  readonly closedInvestments: number;
  readonly failedTransactions: number;
  /** Principal of the largest investment ever made; null without any. */
  readonly largestInvestment: Money | null;
  /** The strategy with the most principal of all investments ever made; null without any. */
  readonly preferredStrategy: string | null;
}

/** A transaction, or a change of the status (type `status`). */
export interface UserActivity {
  readonly type: string;
  readonly description: string;
  readonly at: Date;
}

export interface UserDetail extends AccountWithFigures, ListedUser {
  readonly newestInvestments: readonly InvestmentDetails[];
  readonly activity: readonly UserActivity[];
  /** Newest first. */
  readonly history: readonly StatusHistoryEntry[];
  readonly compliance: ComplianceResult;
  /** Null without a security hold. */
  readonly hold: SecurityHold | null;
  /** Null if the account is not locked. */
  readonly lock: AccountLock | null;
}

export interface UserWithWallets {
  readonly user: User;
  readonly personal: readonly LinkedWallet[];
  readonly deposit: readonly DepositAddress[];
}

/** The lifetime figures that the removal of a user reports. */
export type FinalFigures = Pick<UserWithFigures, 'totalInvested' | 'totalWithdrawn' | 'totalEarnings'>;

export interface RemovedUser extends FinalFigures {
  readonly id: string;
  readonly email: string;
  /** The account was erased. */
  readonly permanent: boolean;
  readonly deactivatedAt: Date;
  /** The admin's e-mail address. */
  readonly deactivatedBy: string;
}

/** The numbers of test users. */
export interface DeletedTestData {
  readonly erased: number;
  readonly anonymised: number;
  /** Test users that still exist, because one call handles a limited number. */
  readonly remaining: number;
}

/** The numbers of deleted rows. */
export interface CleanedTestData {
  readonly sessions: number;
  readonly refreshTokens: number;
  readonly idempotencyResults: number;
  readonly walletNonces: number;
}
