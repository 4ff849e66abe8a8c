import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../http/openapi/fields.js';
import { Money } from '../../../common/money.js';
import { SHOWN_STATUSES } from '../../investments/domain/investment.state-machine.js';
import { PreferencesResponse, toPreferencesResponse } from '../../users/dto/profile.response.js';
import { toComplianceResponse, ComplianceResponse } from '../../users/dto/compliance.response.js';
import { USER_STATUSES } from '../../users/user-status.js';
import { riskProfile } from '../risk-profile.js';
import type { ChangedUser, UserAccount, UserDetail } from '../user-detail.queries.js';
import { ABOUT, activeIn, ListedUserStatsResponse, RiskProfileResponse } from './user-list.response.js';

class ShownProfileResponse {
  @Text({ nullable: true }) name!: string | null;
  @Nested(() => PreferencesResponse) preferences!: PreferencesResponse;
}

class UserStatsResponse extends ListedUserStatsResponse {
  @MoneyText({ description: 'available and invested, without the growth of open investments' })
  currentBalance!: string;
  @Count({ description: 'closed by the user or by a move; cancelled ones are not in it' })
  closedInvestments!: number;
  @Count({ description: 'of lifetimeTransactions those that failed; a rejected withdrawal is one' })
  failedTransactions!: number;
}

class UserInvestmentResponse {
  @Uuid() id!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @MoneyText({ description: 'principal' }) amount!: string;
  @MoneyText() currentValue!: string;
  @MoneyText({ example: '0.50', description: 'currentValue less amount' }) earnings!: string;
  @Choice(SHOWN_STATUSES) status!: string;
  @Instant() createdAt!: string;
}

class UserActivityResponse {
  @Text({ example: 'deposit', description: 'type of a transaction, or status' }) type!: string;
  @Text() description!: string;
  @Instant() timestamp!: string;
}

class UserRiskProfileResponse extends RiskProfileResponse {
  @MoneyText({ description: 'principal of the largest investment, ended ones included' })
  largestInvestment!: string;
  @Text({ nullable: true, description: 'the strategy with the most principal, ended investments included' })
  preferredStrategy!: string | null;
}

class UserComplianceResponse extends ComplianceResponse {
  @Text({ nullable: true, description: 'always null: addresses are not kept' }) ipAddress!: string | null;
  @Text({ nullable: true, description: 'always null: it is not asked for' }) country!: string | null;
  @Choice(['identity_provider', 'admin'], { description: 'whose word made the account' })
  registrationSource!: string;
}

export class UserDetailResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Flag({ description: ABOUT.verified }) emailVerified!: boolean;
  @Text({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @Choice(USER_STATUSES) status!: string;
  @Text({ example: 'user', description: ABOUT.role }) role!: string;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
  @Nested(() => ShownProfileResponse) profile!: ShownProfileResponse;
  @Nested(() => UserStatsResponse) stats!: UserStatsResponse;
  @ListOf(() => UserInvestmentResponse, { description: 'the newest hundred' })
  investments!: UserInvestmentResponse[];
  @ListOf(() => UserActivityResponse, { description: 'the newest twenty' })
  recentActivity!: UserActivityResponse[];
  @Nested(() => UserRiskProfileResponse) riskProfile!: UserRiskProfileResponse;
  @Nested(() => UserComplianceResponse) compliance!: UserComplianceResponse;
}

class ShortUserDetailResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Choice(USER_STATUSES) status!: string;
  @Text({ nullable: true, description: ABOUT.wallet }) walletAddress!: string | null;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
}

export class ShortUserAnswerResponse {
  @Nested(() => ShortUserDetailResponse) user!: ShortUserDetailResponse;
}

export class CreatedUserResponse extends ShortUserDetailResponse {
  @Text({ nullable: true, description: 'always null: users fill in their profiles themselves' })
  profile!: string | null;
  @TextList({ description: 'always empty: permissions are for admins' }) permissions!: string[];
}

class PastStatusResponse {
  @Choice(USER_STATUSES) status!: string;
  @Text({ nullable: true }) reason!: string | null;
  @Instant() changedAt!: string;
  @Text({ description: "an admin's e-mail" }) changedBy!: string;
}

/** Both variants of the interface in one. */
export class ChangedUserResponse {
  @Uuid() id!: string;
  @Uuid({ description: 'the same as id' }) userId!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Choice(USER_STATUSES) status!: string;
  @Instant() updatedAt!: string;
  @Text({ description: 'the e-mail of the admin who called' }) updatedBy!: string;
  @Nested(() => ShownProfileResponse) updatedProfile!: ShownProfileResponse;
  @ListOf(() => PastStatusResponse, { description: 'the newest first, at most a hundred' })
  statusHistory!: PastStatusResponse[];
}

function profileOf(user: UserAccount): ShownProfileResponse {
  return {
    name: user.name,
    preferences: toPreferencesResponse(user),
  };
}

export function toUserDetailResponse(user: UserDetail, role: string): UserDetailResponse {
  const { level, score, strategies } = riskProfile(user.holdings);
  return {
    id: user.id,
    email: user.email,
    emailVerified: user.emailVerified,
    walletAddress: user.walletAddress,
    status: user.status,
    role,
    createdAt: user.createdAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
    profile: profileOf(user),
    stats: {
      totalInvested: user.totalInvested.toWire(),
      currentBalance: user.balance.toWire(),
      totalWithdrawn: user.totalWithdrawn.toWire(),
      totalEarnings: user.totalEarnings.toWire(),
      activeInvestments: activeIn(user),
      closedInvestments: user.closedInvestments,
      lifetimeTransactions: user.transactions,
      failedTransactions: user.failedTransactions,
    },
    investments: user.newestInvestments.map((investment) => ({
      id: investment.id,
      strategyId: investment.strategyId,
      amount: investment.amount,
      currentValue: investment.currentValue,
      earnings: investment.totalEarnings,
      status: investment.status,
      createdAt: investment.createdAt,
    })),
    recentActivity: user.activity.map(({ type, description, at }) => ({
      type,
      description,
      timestamp: at.toISOString(),
    })),
    riskProfile: {
      level,
      score,
      strategies: [...strategies],
      largestInvestment: (user.largestInvestment ?? Money.ZERO).toWire(),
      preferredStrategy: user.preferredStrategy,
    },
    compliance: {
      ...toComplianceResponse(user.compliance),
      ipAddress: null,
      country: null,
      registrationSource: user.createdBy === null ? 'identity_provider' : 'admin',
    },
  };
}

function toShortUserDetailResponse(user: ChangedUser): ShortUserDetailResponse {
  return {
    id: user.id,
    email: user.email,
    status: user.status,
    walletAddress: user.walletAddress,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

export function toShortUserAnswerResponse(user: ChangedUser): ShortUserAnswerResponse {
  return { user: toShortUserDetailResponse(user) };
}

export function toCreatedUserResponse(user: ChangedUser): CreatedUserResponse {
  return { ...toShortUserDetailResponse(user), profile: null, permissions: [] };
}

export function toChangedUserResponse(user: ChangedUser, updatedBy: string): ChangedUserResponse {
  return {
    id: user.id,
    userId: user.id,
    email: user.email,
    status: user.status,
    updatedAt: user.updatedAt.toISOString(),
    updatedBy,
    updatedProfile: profileOf(user),
    statusHistory: user.history.map(({ status, reason, changedAt, changedBy }) => ({
      status,
      reason,
      changedAt: changedAt.toISOString(),
      changedBy,
    })),
  };
}
