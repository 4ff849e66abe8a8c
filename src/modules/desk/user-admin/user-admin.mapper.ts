import { riskProfile } from '../../investing/investments/domain/risk-profile.js';
import { toInvestmentItemResponse } from '../../investing/investments/investments.mapper.js';
import type { AppConfig } from '../../../config/app-config.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { Money } from '../../../common/money.js';
import type { Admin } from '../../identity/admins/admin-directory.service.js';
import { chainIdOf } from '../../funds/deposits/domain/networks.js';
import {
  toComplianceResponse,
  toPreferencesResponse,
  toRestrictions,
  toTierResponse,
} from '../../identity/users/users.mapper.js';
import type {
  AdminSelfResponse,
  RemovedUserResponse,
  UserWalletsResponse,
} from './dto/admin-users.response.js';
import type {
  ChangedUserResponse,
  CreatedUserResponse,
  PastStatusResponse,
  ShortUserAnswerResponse,
  ShortUserDetailResponse,
  ShownProfileResponse,
  UserDetailResponse,
} from './dto/user-detail.response.js';
import type {
  ListedUserResponse,
  ShortUserListResponse,
  ShortUserResponse,
  UserListSummaryResponse,
  UserSearchResponse,
} from './dto/user-list.response.js';
import type {
  AccountWithHistory,
  CreatedUser,
  ListedUser,
  RemovedUser,
  StatusHistoryEntry,
  UserAccount,
  UserDetail,
  UserListTotals,
  UserSuggestion,
  UserWithFigures,
  UserWithWallets,
} from './user-admin.types.js';
import type { PageRequest } from '../../../lists/list-page.js';

export function toUserListEnvelope({
  rows,
  request,
  totals,
  ...page
}: Rows<ListedUser> & { request: PageRequest; totals: UserListTotals }): EnvelopedResponse<
  ListedUserResponse[]
> {
  return pagedResponse(rows.map(toListedUserResponse), request, page, {
    summary: toUserListSummaryResponse(page.total, totals),
  });
}

export function toShortUserListResponse({
  rows,
  request,
  ...page
}: Rows<ListedUser> & { request: PageRequest }): ShortUserListResponse {
  return {
    users: rows.map(toShortUserResponse),
    pagination: paginate(request, page),
  };
}

export function toUserSearchResponse({
  users,
  suggestions,
}: {
  users: readonly ListedUser[];
  suggestions: readonly UserSuggestion[];
}): UserSearchResponse {
  return {
    users: users.map(toShortUserResponse),
    suggestions: suggestions.map(({ id, email, similarity }) => ({ id, email, similarity })),
  };
}

function toShortUserResponse(user: ListedUser): ShortUserResponse {
  return {
    id: user.id,
    email: user.email,
    status: user.status,
    role: user.role,
    totalInvestments: user.investments,
    totalAmount: user.totalInvested.toWire(),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

export function toListedUserResponse(user: ListedUser): ListedUserResponse {
  const { level, score, strategies } = riskProfile(user.holdings);
  return {
    ...toShortUserResponse(user),
    tier: toTierResponse(user.limits),
    walletAddress: user.walletAddress,
    emailVerified: user.emailVerified,
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
    stats: {
      totalInvested: user.totalInvested.toWire(),
      totalWithdrawn: user.totalWithdrawn.toWire(),
      totalEarnings: user.totalEarnings.toWire(),
      activeInvestments: countActive(user),
      lifetimeTransactions: user.transactions,
    },
    riskProfile: { level, score, strategies: [...strategies] },
  };
}

function countActive({ holdings }: UserWithFigures): number {
  return holdings.reduce((sum, { active }) => sum + active, 0);
}

function toUserListSummaryResponse(total: number, totals: UserListTotals): UserListSummaryResponse {
  return {
    totalUsers: total,
    activeUsers: totals.active,
    suspendedUsers: totals.suspended,
    inactiveUsers: totals.inactive,
    totalPlatformTVL: totals.tvl.toWire(),
    averageInvestmentPerUser: totals.averageInvestment.toWire(),
    asOf: totals.asOf.toISOString(),
  };
}

function toProfileResponse(user: UserAccount, config: AppConfig): ShownProfileResponse {
  return {
    name: user.name,
    preferences: toPreferencesResponse(user, config),
  };
}

export function toUserDetailResponse(user: UserDetail, config: AppConfig): UserDetailResponse {
  const { level, score, strategies } = riskProfile(user.holdings);
  return {
    id: user.id,
    email: user.email,
    emailVerified: user.emailVerified,
    walletAddress: user.walletAddress,
    status: user.status,
    ...toRestrictions(user),
    tier: toTierResponse(user.limits),
    role: user.role,
    createdAt: user.createdAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
    profile: toProfileResponse(user, config),
    stats: {
      totalInvested: user.totalInvested.toWire(),
      currentBalance: user.balance.toWire(),
      totalWithdrawn: user.totalWithdrawn.toWire(),
      totalEarnings: user.totalEarnings.toWire(),
      activeInvestments: countActive(user),
      closedInvestments: user.closedInvestments,
      lifetimeTransactions: user.transactions,
      failedTransactions: user.failedTransactions,
    },
    investments: user.newestInvestments.map(toInvestmentItemResponse).map((investment) => ({
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
    statusHistory: user.history.map(toPastStatusResponse),
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

function toShortUserDetailResponse(user: AccountWithHistory): ShortUserDetailResponse {
  return {
    id: user.id,
    email: user.email,
    status: user.status,
    walletAddress: user.walletAddress,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

export function toShortUserAnswerResponse(user: AccountWithHistory): ShortUserAnswerResponse {
  return { user: toShortUserDetailResponse(user) };
}

export function toCreatedUserResponse(user: CreatedUser): CreatedUserResponse {
  const { proposedWallet: walletAddress } = user;
  return { ...toShortUserDetailResponse(user), walletAddress, profile: null, permissions: [] };
}

function toPastStatusResponse({ changedAt, ...change }: StatusHistoryEntry): PastStatusResponse {
  return { ...change, changedAt: changedAt.toISOString() };
}

export function toChangedUserResponse(
  user: AccountWithHistory,
  updatedBy: string,
  config: AppConfig,
): ChangedUserResponse {
  return {
    id: user.id,
    userId: user.id,
    email: user.email,
    status: user.status,
    updatedAt: user.updatedAt.toISOString(),
    updatedBy,
    updatedProfile: toProfileResponse(user, config),
    statusHistory: user.history.map(toPastStatusResponse),
  };
}

export function toRemovedUserResponse(user: RemovedUser): RemovedUserResponse {
  return {
    userId: user.id,
    email: user.email,
    status: 'inactive',
    permanent: user.permanent,
    deactivatedAt: user.deactivatedAt.toISOString(),
    deactivatedBy: user.deactivatedBy,
    finalStats: {
      totalInvested: user.totalInvested.toWire(),
      totalWithdrawn: user.totalWithdrawn.toWire(),
      totalEarnings: user.totalEarnings.toWire(),
    },
  };
}

export function toUserWalletsResponse(
  { user, personal, deposit }: UserWithWallets,
  config: AppConfig,
): UserWalletsResponse {
  return {
    user: {
      id: user.id,
      email: user.email,
      status: user.status,
      personalWallets: personal.map(({ id, address, createdAt, suspendedAt }) => ({
        id,
        address,
        networkId: config.CHAIN_ID,
        type: 'personal',
        createdAt: createdAt.toISOString(),
        suspendedAt: suspendedAt?.toISOString() ?? null,
      })),
      depositWallets: deposit.map(({ address, network, currency, createdAt }) => ({
        address,
        networkId: chainIdOf(config, network),
        type: 'deposit',
        network,
        currency,
        createdAt: createdAt.toISOString(),
        derivationPath: null,
        addressIndex: null,
      })),
    },
  };
}

export function toAdminSelfResponse(admin: Admin): AdminSelfResponse {
  return {
    id: admin.id,
    email: admin.email,
    role: admin.roles[0] ?? null,
    permissions: [...admin.permissions],
    status: admin.status,
    createdAt: admin.createdAt?.toISOString() ?? null,
    updatedAt: admin.updatedAt?.toISOString() ?? null,
  };
}
