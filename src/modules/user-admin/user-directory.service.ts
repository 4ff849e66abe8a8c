import { Injectable } from '@nestjs/common';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import type { Rows } from '../../http/request/pagination.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { ListExportsService } from '../audit/list-exports.service.js';
import { PortfolioService } from '../investments/portfolio.service.js';
import { NavsService } from '../strategies/navs.service.js';
import { Compliance, NOT_CHECKED } from '../users/domain/compliance.js';
import { SecurityHoldsService } from '../users/security-holds.service.js';
import { UsersService } from '../users/users.service.js';
import { WalletLinksService } from '../wallets/wallet-links.service.js';
import type { AdminUsersQuery } from './dto/admin-users.request.js';
import type {
  AccountWithHistory,
  ListedUser,
  UserDetail,
  UserFilter,
  UserListTotals,
  UserOrder,
  UserSuggestion,
  UserWithFigures,
  UserWithWallets,
} from './user-admin.types.js';
import { UserDetailRepository } from './user-detail.repository.js';
import { UserListRepository } from './user-list.repository.js';

const SHOWN_INVESTMENTS = { page: 1, limit: 100, sortBy: 'createdAt', orderBy: 'desc' } as const;

/** Reads of users for admins. */
@Injectable()
export class UserDirectoryService {
  constructor(
    private readonly lists: UserListRepository,
    private readonly details: UserDetailRepository,
    private readonly users: UsersService,
    private readonly holds: SecurityHoldsService,
    private readonly wallets: WalletLinksService,
    private readonly investments: PortfolioService,
    private readonly navs: NavsService,
    private readonly compliance: Compliance,
    private readonly admins: AdminDirectoryService,
    private readonly exports: ListExportsService,
  ) {}

  async listWithTotals(
    query: AdminUsersQuery,
  ): Promise<Rows<ListedUser> & { page: number; totals: UserListTotals }> {
    const filter = filterOf(query, 'everything');
    const order = orderOf(query);
    const { rows, hasNext } = await this.lists.findUsersPage(filter, order);
    const sums = await this.lists.sumUsers(filter, await this.navs.getCurrentNavs());
    return { rows: this.withRoles(rows), hasNext, page: order.page, ...sums };
  }

  /** All selected users in batches. Throws SERVICE_UNAVAILABLE while the admin has another export open. */
  exportUsers(query: AdminUsersQuery, admin: AdminPrincipal): AsyncGenerator<ListedUser[], void> {
    const { lists } = this;
    const withRoles = this.withRoles.bind(this);
    return this.exports.streamList(admin, { list: 'users', query }, async function* (snapshot) {
      for await (const users of lists.streamUsers(snapshot, filterOf(query, 'everything'), query))
        yield withRoles(users);
    });
  }

  async listWithoutTotals(query: AdminUsersQuery): Promise<Rows<ListedUser> & { page: number }> {
    const filter = filterOf(query, 'email');
    const order = orderOf(query);
    const { rows, hasNext } = await this.lists.findUsersPage(filter, order);
    const total = await this.lists.countUsers(filter);
    return { rows: this.withRoles(rows), hasNext, page: order.page, total };
  }

  /** The user with this e-mail address, regardless of case; if there is none, users with similar addresses. */
  async search(email: string): Promise<{ users: ListedUser[]; suggestions: UserSuggestion[] }> {
    const address = email.trim().toLowerCase();
    const user = await this.lists.findUserByEmail(address);
    return user
      ? { users: this.withRoles([user]), suggestions: [] }
      : { users: [], suggestions: await this.lists.findSuggestions(address) };
  }

  /** Throws USER_NOT_FOUND. */
  async getDetail(id: string): Promise<UserDetail> {
    const user = (await this.details.findAccountWithFigures(id)) ?? fail('USER_NOT_FOUND');
    const { rows: newestInvestments } = await this.investments.listInvestments(id, SHOWN_INVESTMENTS);
    const compliance = (await this.compliance.resultsOf([id])).get(id) ?? NOT_CHECKED;
    const activity = await this.details.findActivity(id);
    const hold = this.holds.holdOf(user);
    return { ...user, role: this.roleOf(user), newestInvestments, activity, compliance, hold };
  }

  /** Throws USER_NOT_FOUND. */
  async getAccount(id: string): Promise<AccountWithHistory> {
    return (await this.details.findAccount(id)) ?? fail('USER_NOT_FOUND');
  }

  /** Throws USER_NOT_FOUND. */
  async getWallets(id: string): Promise<UserWithWallets> {
    const user = await this.users.get(id);
    const personal = await this.wallets.listLinkedWallets(id);
    return { user, personal, deposit: await this.details.findDepositWallets(id) };
  }

  private withRoles(users: readonly UserWithFigures[]): ListedUser[] {
    return users.map((user) => ({ ...user, role: this.roleOf(user) }));
  }

  private roleOf({ email }: { email: string }): string {
    return this.admins.findAdminByEmail(email)?.roles[0] ?? 'user';
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

/** A query for a single user always gets the first page, as there is no other. */
function orderOf(query: AdminUsersQuery): UserOrder {
  const isSingle = (query.userId ?? query.user_id) !== undefined;
  const { sortBy, orderBy, limit } = query;
  return { sortBy, orderBy, limit, page: isSingle ? 1 : query.page };
}
