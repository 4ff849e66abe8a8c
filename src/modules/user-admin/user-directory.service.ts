import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { UsersService } from '../users/users.service.js';
import { WalletLinksService } from '../wallets/wallet-links.service.js';
import type { AdminUsersQuery } from './dto/admin-users.request.js';
import { type UserWalletsResponse } from './dto/admin-users.response.js';
import {
  toUserWalletsResponse,
  toShortUserAnswerResponse,
  toUserDetailResponse,
  toListedUserResponse,
  toShortUserResponse,
  toUserListSummaryResponse,
  toUserSuggestionResponse,
} from './user-admin.mapper.js';
import { UserDetailRepository } from './user-detail.repository.js';
import { type ShortUserAnswerResponse, type UserDetailResponse } from './dto/user-detail.response.js';
import type { UserFilter } from './user-filter.js';
import { UserListRepository, type UserOrder } from './user-list.repository.js';
import {
  type ListedUserResponse,
  type ShortUserListResponse,
  type UserSearchResponse,
} from './dto/user-list.response.js';

/** What admins are shown of users. */
@Injectable()
export class UserDirectoryService {
  constructor(
    private readonly lists: UserListRepository,
    private readonly details: UserDetailRepository,
    private readonly users: UsersService,
    private readonly linked: WalletLinksService,
    private readonly admins: AdminDirectoryService,
    private readonly config: AppConfig,
  ) {}

  async list(query: AdminUsersQuery): Promise<EnvelopedResponse<ListedUserResponse[]>> {
    const order = orderOf(query);
    const { rows, total, totals } = await this.lists.list(filterOf(query, 'everything'), order);
    return new EnvelopedResponse(
      rows.map((user) => toListedUserResponse(user, this.roleOf(user))),
      {
        summary: toUserListSummaryResponse(total, totals),
        pagination: { ...paginate(order.page, order.limit, total) },
      },
    );
  }

  async shortList(query: AdminUsersQuery): Promise<ShortUserListResponse> {
    const order = orderOf(query);
    const { rows, total } = await this.lists.shortList(filterOf(query, 'email'), order);
    return {
      users: rows.map((user) => toShortUserResponse(user, this.roleOf(user))),
      pagination: { ...paginate(order.page, order.limit, total) },
    };
  }

  async search(email: string): Promise<UserSearchResponse> {
    const { users, suggestions } = await this.lists.search(email);
    return {
      users: users.map((user) => toShortUserResponse(user, this.roleOf(user))),
      suggestions: suggestions.map(toUserSuggestionResponse),
    };
  }

  /** Throws USER_NOT_FOUND. */
  async detail(id: string): Promise<UserDetailResponse> {
    const user = await this.details.detail(id);
    return toUserDetailResponse(user, this.roleOf(user));
  }

  /** Throws USER_NOT_FOUND. */
  async shortDetail(id: string): Promise<ShortUserAnswerResponse> {
    return toShortUserAnswerResponse(await this.details.account(id));
  }

  /** Throws USER_NOT_FOUND. */
  async wallets(id: string): Promise<UserWalletsResponse> {
    const user = await this.users.get(id);
    const personal = await this.linked.of(id);
    return toUserWalletsResponse(user, personal, await this.details.depositWalletsOf(id), this.config);
  }

  private roleOf({ email }: { email: string }): string {
    return this.admins.byEmail(email)?.roles[0] ?? 'user';
  }
}

function filterOf(query: AdminUsersQuery, searchIn: UserFilter['searchIn']): UserFilter {
  return {
    status: query.status,
    search: query.search,
    userId: query.userId ?? query.user_id,
    minInvestment: query.minInvestment,
    registeredAfter: query.registeredAfter === undefined ? undefined : new Date(query.registeredAfter),
    searchIn,
  };
}

/** A single user is on the first page, whichever was asked for. */
function orderOf(query: AdminUsersQuery): UserOrder {
  const isOne = (query.userId ?? query.user_id) !== undefined;
  const { sortBy, orderBy, limit } = query;
  return { sortBy, orderBy, limit, page: isOne ? 1 : query.page };
}
