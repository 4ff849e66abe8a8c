import type { ListedUser } from './user-admin.types.js';
import { riskProfile } from './domain/risk-profile.js';
import type { Suggestion, UserListTotals } from './user-list.repository.js';
import type {
  ShortUserResponse,
  ListedUserResponse,
  UserListSummaryResponse,
  UserSuggestionResponse,
} from './dto/user-list.response.js';
import { Money } from '../../common/money.js';
import { toPreferencesResponse, toComplianceResponse } from '../users/users.mapper.js';
import type { ChangedUser, UserAccount, UserDetail, DepositWallet } from './user-detail.repository.js';
import type {
  ShownProfileResponse,
  UserDetailResponse,
  ShortUserDetailResponse,
  ShortUserAnswerResponse,
  CreatedUserResponse,
  ChangedUserResponse,
} from './dto/user-detail.response.js';
import type { AppConfig } from '../../config/app-config.js';
import type { Admin } from '../admins/admin-directory.service.js';
import { chainIdOf } from '../deposits/domain/networks.js';
import type { User } from '../users/entities/user.entity.js';
import type { Wallet } from '../wallets/wallet-links.service.js';
import type { CleanedTestData, DeletedTestData } from './test-data.service.js';
import type { RemovedUser } from './user-admin.service.js';
import type {
  RemovedUserResponse,
  UserWalletsResponse,
  AdminSelfResponse,
  DeletedTestDataResponse,
  CleanedTestDataResponse,
} from './dto/admin-users.response.js';

export function toShortUserResponse(user: ListedUser, role: string): ShortUserResponse {
  return {
    id: user.id,
    email: user.email,
    status: user.status,
    role,
    totalInvestments: user.investments,
    totalAmount: user.totalInvested.toWire(),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

export function toListedUserResponse(user: ListedUser, role: string): ListedUserResponse {
  const { level, score, strategies } = riskProfile(user.holdings);
  return {
    ...toShortUserResponse(user, role),
    walletAddress: user.walletAddress,
    emailVerified: user.emailVerified,
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
    stats: {
      totalInvested: user.totalInvested.toWire(),
      totalWithdrawn: user.totalWithdrawn.toWire(),
      totalEarnings: user.totalEarnings.toWire(),
      activeInvestments: activeIn(user),
      lifetimeTransactions: user.transactions,
    },
    riskProfile: { level, score, strategies: [...strategies] },
  };
}

export function activeIn({ holdings }: ListedUser): number {
  return holdings.reduce((sum, { active }) => sum + active, 0);
}

export function toUserListSummaryResponse(total: number, totals: UserListTotals): UserListSummaryResponse {
  return {
    totalUsers: total,
    activeUsers: totals.active,
    suspendedUsers: totals.suspended,
    inactiveUsers: totals.inactive,
    totalPlatformTVL: totals.value.toWire(),
    averageInvestmentPerUser: totals.averageInvested.toWire(),
  };
}

export function toUserSuggestionResponse({ id, email, similarity }: Suggestion): UserSuggestionResponse {
  return { id, email, similarity };
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
  user: User,
  personal: readonly Wallet[],
  deposit: readonly DepositWallet[],
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

export function toDeletedTestDataResponse({
  erased,
  anonymised,
  remaining,
}: DeletedTestData): DeletedTestDataResponse {
  return { erased, anonymised, remaining };
}

export function toCleanedTestDataResponse(cleaned: CleanedTestData): CleanedTestDataResponse {
  const { sessions, refreshTokens, idempotencyResults, walletNonces } = cleaned;
  return { sessions, refreshTokens, idempotencyResults, walletNonces };
}
