import { Injectable } from '@nestjs/common';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { Rows } from '../../../http/request/pagination.js';
import { searchedEmail } from '../../../common/email.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import { DepositAddressesService } from '../../funds/deposits/deposit-addresses.service.js';
import { PortfolioService } from '../../investing/investments/portfolio.service.js';
import { ScreeningService } from '../../identity/screening/screening.service.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import { riskProfile } from '../../investing/investments/domain/allocation.js';
import type { TransactionDetails } from '../../portfolio/transactions/entities/transaction.entity.js';
import { TransactionsRepository } from '../../portfolio/transactions/transactions.repository.js';
import {
  NOT_CHECKED,
  ScreeningComplianceService,
} from '../../identity/screening/screening-compliance.service.js';
import { LimitTiersService } from '../../identity/users/limit-tiers.service.js';
import { currentLock } from '../../identity/users/domain/account-restrictions.js';
import { SecurityHoldsService } from '../../identity/users/account-restrictions.service.js';
import { UsersService } from '../../identity/users/users.service.js';
import { WalletLinksService } from '../../identity/wallets/wallet-links.service.js';
import type { AdminUsersQuery } from './dto/admin-users.request.js';
import type {
  AccountWithHistory,
  ListedUser,
  StatusHistoryEntry,
  UserActivity,
  UserDetail,
  UserFilter,
  UserListTotals,
  UserOrder,
  UserSuggestion,
  UserWithFigures,
  UserWithWallets,
} from './user-admin.types.js';
import { UserAdminRepository } from './user-admin.repository.js';
import { UserListRepository } from './user-list.repository.js';
import type { PageRequest } from '../../../lists/list-page.js';

const SHOWN_INVESTMENTS = {
  page: 1,
  limit: 100,
  cursor: undefined,
  sortBy: 'createdAt',
  orderBy: 'desc',
} as const;
const SHOWN_ACTIVITIES = 20;

/** Reads of users for admins. */
@Injectable()
export class UserDirectoryService {
  constructor(
    private readonly lists: UserListRepository,
    private readonly repository: UserAdminRepository,
    private readonly users: UsersService,
    private readonly holds: SecurityHoldsService,
    private readonly tiers: LimitTiersService,
    private readonly wallets: WalletLinksService,
    private readonly deposits: DepositAddressesService,
    private readonly investments: PortfolioService,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly transactions: TransactionsRepository,
    private readonly screening: ScreeningService,
    private readonly compliance: ScreeningComplianceService,
    private readonly admins: AdminDirectoryService,
    private readonly exports: ListExportsService,
  ) {}

  async listWithTotals(
    query: AdminUsersQuery,
  ): Promise<Rows<ListedUser> & { request: PageRequest; totals: UserListTotals }> {
    const filter = this.filterOf(query, 'everything');
    const order = orderOf(query);
    const days = await this.navs.getCurrentNavs();
    const page = await this.lists.findUsersPage(filter, order, days);
    const sums = await this.lists.sumUsers(filter, days);
    return { ...page, rows: this.withDetails(page.rows), request: order, ...sums };
  }

  /** All selected users in batches. Throws SERVICE_UNAVAILABLE while the admin has another export open. */
  async exportUsers(
    query: AdminUsersQuery,
    admin: AdminPrincipal,
  ): Promise<AsyncGenerator<ListedUser[], void>> {
    const days = await this.navs.getCurrentNavs();
    const { lists } = this;
    const withDetails = this.withDetails.bind(this);
    const filter = this.filterOf(query, 'everything');
    return this.exports.streamList(admin, { list: 'users', query }, async function* (snapshot) {
      for await (const users of lists.streamUsers(snapshot, filter, query, days)) yield withDetails(users);
    });
  }

  async listWithoutTotals(query: AdminUsersQuery): Promise<Rows<ListedUser> & { request: PageRequest }> {
    const filter = this.filterOf(query, 'email');
    const order = orderOf(query);
    const page = await this.lists.findUsersPage(filter, order, await this.navs.getCurrentNavs());
    const total = await this.lists.countUsers(filter);
    return { ...page, rows: this.withDetails(page.rows), request: order, total };
  }

  /** The user with this e-mail address in any spelling; if there is none, users with similar addresses. */
  async search(email: string): Promise<{ users: ListedUser[]; suggestions: UserSuggestion[] }> {
    const address = searchedEmail(email);
    const user = await this.lists.findUserByEmail(address, await this.navs.getCurrentNavs());
    return user
      ? { users: this.withDetails([user]), suggestions: [] }
      : { users: [], suggestions: await this.lists.findSuggestions(address) };
  }

  /** Throws USER_NOT_FOUND. */
  async getDetail(id: string): Promise<UserDetail> {
    const user =
      (await this.repository.findAccountWithFigures(id, await this.navs.getCurrentNavs())) ??
      throwError('USER_NOT_FOUND');
    const { rows: newestInvestments } = await this.investments.listInvestments(id, SHOWN_INVESTMENTS);
    const compliance = (await this.compliance.resultsOf([id])).get(id) ?? NOT_CHECKED;
    const transactions = await this.transactions.findRecentTransactions(id, SHOWN_ACTIVITIES);
    const history = await this.repository.findStatusHistory(id);
    return {
      ...user,
      ...this.detailsOf(user),
      newestInvestments,
      activity: activityOf(transactions, history),
      history,
      compliance,
      hold: this.holds.holdOf(user),
      lock: currentLock(user),
    };
  }

  /** Throws USER_NOT_FOUND. */
  async getAccount(id: string): Promise<AccountWithHistory> {
    return (await this.repository.findAccount(id)) ?? throwError('USER_NOT_FOUND');
  }

  /** Throws USER_NOT_FOUND. */
  async getWallets(id: string): Promise<UserWithWallets> {
    const user = await this.users.get(id);
    const personal = await this.wallets.listLinkedWallets(id);
    return { user, personal, deposit: await this.deposits.listStoredAddresses(id) };
  }

  private withDetails(users: readonly UserWithFigures[]): ListedUser[] {
    return users.map((user) => ({ ...user, ...this.detailsOf(user) }));
  }

  /** The fields that the service computes: the role of an admin, the limits of the tier, and the risk from the strategies' levels. */
  private detailsOf(user: UserWithFigures): Pick<ListedUser, 'role' | 'limits' | 'risk'> {
    const holdings = user.holdings.map((holding) => ({
      ...holding,
      riskLevel: this.strategies.getStrategy(holding.strategyId).riskLevel,
    }));
    const role = this.admins.findAdminByEmail(user.email)?.roles[0] ?? 'user';
    return { role, limits: this.tiers.tierOf(user.id, user), risk: riskProfile(holdings) };
  }

  private filterOf(query: AdminUsersQuery, searchIn: UserFilter['searchIn']): UserFilter {
    return { ...query, isScreeningConfigured: this.screening.isConfigured, searchIn };
  }
}

/** A query for a single user always gets the first page, as there is no other. */
function orderOf(query: AdminUsersQuery): UserOrder {
  return { ...query, page: query.userId === undefined ? query.page : 1 };
}

/** The newest transactions and changes of the status, the newest first; of those at one instant the transactions first. */
function activityOf(
  transactions: readonly TransactionDetails[],
  history: readonly StatusHistoryEntry[],
): UserActivity[] {
  const changes = history.map(({ status, reason, changedAt }) => ({
    type: 'status',
    description: reason === null ? `Status ${status}` : `Status ${status}: ${reason}`,
    at: changedAt,
  }));
  return [
    ...transactions.map(({ type, description, createdAt: at }) => ({ type, description, at })),
    ...changes,
  ]
    .sort((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, SHOWN_ACTIVITIES);
}
