import { toInvestmentItemResponse } from '../../investing/investments/investments.mapper.js';
import type { AppConfig } from '../../../config/app-config.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { Money } from '../../../common/money.js';
import type { Admin } from '../../identity/admins/admin-directory.service.js';
import { chainIdOf } from '../../funds/deposits/domain/networks.js';
import { toPreferencesResponse } from '../../identity/users/users.mapper.js';
import { AdminSelfResponse, RemovedUserResponse, UserWalletsResponse } from './dto/admin-users.response.js';
import {
  ChangedUserResponse,
  CreatedUserResponse,
  ListedUserResponse,
  ListedUserStatsResponse,
  ShortUserAnswerResponse,
  type ShortUserListResponse,
  ShortUserResponse,
  type ShownProfileResponse,
  UserDetailResponse,
  type UserListSummaryResponse,
  UserSearchResponse,
} from './dto/user.response.js';
import type {
  AccountWithHistory,
  CreatedUser,
  ListedUser,
  RemovedUser,
  UserAccount,
  UserDetail,
  UserListTotals,
  UserSuggestion,
  UserWithFigures,
  UserWithWallets,
} from './user-admin.types.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { toResponse } from '../../../http/response/to-response.js';

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
  return toResponse(UserSearchResponse, { users: users.map(toShortUserResponse), suggestions });
}

function toShortUserResponse(user: ListedUser): ShortUserResponse {
  return toResponse(ShortUserResponse, user, shortFields(user));
}

function shortFields({ investments, totalInvested }: ListedUser) {
  return { totalInvestments: investments, totalAmount: totalInvested };
}

export function toListedUserResponse(user: ListedUser): ListedUserResponse {
  return toResponse(ListedUserResponse, user, {
    tier: user.limits,
    stats: toResponse(ListedUserStatsResponse, user, {
      activeInvestments: countActive(user),
      lifetimeTransactions: user.transactions,
    }),
    riskProfile: user.risk,
    ...shortFields(user),
  });
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
  return toResponse(UserDetailResponse, user, {
    locked: user.lock,
    tier: user.limits,
    profile: toProfileResponse(user, config),
    stats: {
      ...user,
      currentBalance: user.balance,
      activeInvestments: countActive(user),
      lifetimeTransactions: user.transactions,
    },
    investments: user.newestInvestments
      .map(toInvestmentItemResponse)
      .map((investment) => ({ ...investment, earnings: investment.totalEarnings })),
    recentActivity: user.activity.map((activity) => ({ ...activity, timestamp: activity.at })),
    statusHistory: user.history,
    riskProfile: {
      ...user.risk,
      largestInvestment: user.largestInvestment ?? Money.ZERO,
      preferredStrategy: user.preferredStrategy,
    },
    compliance: {
      ...user.compliance,
      ipAddress: null,
      country: null,
      registrationSource: user.createdBy === null ? 'identity_provider' : 'admin',
    },
  });
}

export function toShortUserAnswerResponse(user: AccountWithHistory): ShortUserAnswerResponse {
  return toResponse(ShortUserAnswerResponse, { user });
}

export function toCreatedUserResponse(user: CreatedUser): CreatedUserResponse {
  const { proposedWallet: walletAddress } = user;
  return toResponse(CreatedUserResponse, user, { walletAddress, profile: null, permissions: [] });
}

export function toChangedUserResponse(
  user: AccountWithHistory,
  updatedBy: string,
  config: AppConfig,
): ChangedUserResponse {
  return toResponse(ChangedUserResponse, user, {
    userId: user.id,
    updatedBy,
    updatedProfile: toProfileResponse(user, config),
    statusHistory: user.history,
  });
}

export function toRemovedUserResponse(user: RemovedUser): RemovedUserResponse {
  return toResponse(RemovedUserResponse, user, { userId: user.id, status: 'inactive', finalStats: user });
}

export function toUserWalletsResponse(
  { user, personal, deposit }: UserWithWallets,
  config: AppConfig,
): UserWalletsResponse {
  const atProvider = { type: 'deposit', derivationPath: null, addressIndex: null }; // the provider keeps the keys
  return toResponse(UserWalletsResponse, {
    user: {
      ...user,
      personalWallets: personal.map((wallet) => ({
        ...wallet,
        networkId: config.CHAIN_ID,
        type: 'personal',
      })),
      depositWallets: deposit.map((wallet) => ({
        ...wallet,
        ...atProvider,
        networkId: chainIdOf(config, wallet.network),
      })),
    },
  });
}

export function toAdminSelfResponse(admin: Admin): AdminSelfResponse {
  return toResponse(AdminSelfResponse, admin, {
    role: admin.roles[0] ?? null,
    createdAt: admin.createdAt ?? null,
    updatedAt: admin.updatedAt ?? null,
  });
}
