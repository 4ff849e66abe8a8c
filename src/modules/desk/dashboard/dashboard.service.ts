import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../common/clock.js';
import { addDays, dayOf, type Day } from '../../../common/days.js';
import { DAY_MS } from '../../../common/durations.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { byTime, endOf, momentOf } from '../../../common/moment.js';
import { isPoolTimeout } from '../../../common/errors/database-error.js';
import { Snapshots, type Snapshot } from '../../../database/snapshots.js';
import {
  BalanceService,
  type Balance,
  BalanceHistoryService,
  type PastBalance,
} from '../../portfolio/balance/balance.service.js';
import { DepositPollJob } from '../../funds/deposits/deposit-poll.job.js';
import type { InvestmentDetails } from '../../investing/investments/domain/investment.js';
import { InvestmentHistoryRepository } from '../../investing/investments/investment-history.repository.js';
import { PortfolioService, type SummedPortfolio } from '../../investing/investments/portfolio.service.js';
import type { Notification } from '../../portfolio/notifications/entities/notification.entity.js';
import { DailyNotificationsService } from '../../portfolio/notifications/notification-writes.service.js';
import { NotificationsService } from '../../portfolio/notifications/notifications.service.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import type { NavDays } from '../../investing/strategies/strategies.types.js';
import { TransactionsRepository } from '../../portfolio/transactions/transactions.repository.js';
import type { TransactionDetails } from '../../portfolio/transactions/entities/transaction.entity.js';
import { ProfilesService } from '../../identity/users/profiles.service.js';
import type { Profile } from '../../identity/users/users.repository.js';
import { WithdrawalsService } from '../../funds/withdrawals/withdrawals.service.js';
import type { WithdrawalAllowance } from '../../funds/withdrawals/withdrawals.types.js';
import { ChainHealthService, type ChainHealth } from './chain-health.service.js';
import { quickActions, type QuickAction } from './domain/quick-actions.js';
import type { DashboardQuery } from './dto/dashboard.request.js';

/** Bounds the list of investments; the sums of its section include all open investments. */
const MAX_LISTED_INVESTMENTS = 100;
/** Connections of one dashboard whose sources are read separately. */
const MAX_CONNECTIONS = 4;

/** The data from which the sections are computed. */
interface Sources {
  readonly profile: Profile;
  readonly balance: Balance;
  readonly past: PastBalances;
  readonly newest: InvestmentDetails[];
  readonly portfolio: SummedPortfolio;
  readonly allowance: WithdrawalAllowance;
  readonly transactions: TransactionDetails[];
  readonly notifications: Notification[];
}

interface Source<Result> {
  /** Writes the rows that the read needs. Called before the snapshot is opened, since a snapshot does not see later writes. */
  readonly prepare?: () => Promise<void>;
  readonly read: (snapshot: Snapshot) => Promise<Result>;
}

type SourceReads = { [Name in keyof Sources]: Source<Sources[Name]> };

interface PastBalances {
  readonly dayAgo: PastBalance;
  /** With charts: the end of each shown day. Empty without charts. */
  readonly days: readonly PastBalance[];
  /** With charts: the growth of as many days up to yesterday, because that of today ends at midnight. Empty without charts. */
  readonly growth: readonly { readonly day: Day; readonly growth: Money }[];
}

/** The data of the sections; a field is undefined if one of its sources failed. */
export interface Dashboard extends Partial<Pick<Sources, 'profile' | 'transactions' | 'notifications'>> {
  readonly money: ({ readonly balance: Balance } & PastBalances) | undefined;
  readonly investments:
    { readonly newest: InvestmentDetails[]; readonly portfolio: SummedPortfolio } | undefined;
  readonly quickActions: QuickAction[] | undefined;
  readonly hasFailures: boolean;
  readonly chain: ChainHealth;
  readonly today: Day;
}

@Injectable()
export class DashboardService {
  private readonly log = new Logger('Dashboard');

  constructor(
    private readonly snapshots: Snapshots,
    private readonly navs: NavsService,
    private readonly profiles: ProfilesService,
    private readonly balances: BalanceService,
    private readonly balanceHistory: BalanceHistoryService,
    private readonly portfolio: PortfolioService,
    private readonly investmentHistory: InvestmentHistoryRepository,
    private readonly strategies: StrategiesService,
    private readonly withdrawals: WithdrawalsService,
    private readonly transactions: TransactionsRepository,
    private readonly notifications: NotificationsService,
    private readonly dailyNotifications: DailyNotificationsService,
    private readonly chain: ChainHealthService,
    private readonly depositPoll: DepositPollJob,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Throws USER_NOT_FOUND, and the first failure if no section can be read. */
  async getDashboard(userId: string, query: DashboardQuery): Promise<Dashboard> {
    const failures: unknown[] = [];
    const [chain, sources] = await Promise.all([
      this.chain.getChainHealth(),
      this.readSources(userId, query, failures),
    ]);
    const { profile, balance, past, newest, portfolio, allowance, transactions, notifications } = sources;
    const money = balance && past && { balance, ...past };
    const investments = newest && portfolio && { newest, portfolio };
    if (!profile && !money && !investments && !transactions && !notifications) throw failures[0];
    const acceptsDeposits = this.depositPoll.isAnswering('provider') !== false; // true without a recent poll
    const actions =
      money &&
      allowance &&
      quickActions(
        { available: money.balance.funds.available, withdrawals: allowance, acceptsDeposits },
        this.strategies.listStrategies(),
        this.config,
      );
    const hasFailures = failures.length > 0;
    const sections = { profile, money, investments, quickActions: actions, transactions, notifications };
    return { ...sections, hasFailures, chain, today: this.clock.today() };
  }

  /**
   * Reads all sources in one snapshot, over one connection. A failed statement ends the snapshot; then each source is read
   * in a snapshot of its own, so that a source that fails hides no other section.
   */
  private async readSources(
    userId: string,
    query: DashboardQuery,
    failures: unknown[],
  ): Promise<Partial<Sources>> {
    const reads = this.readsOf(userId, query);
    try {
      // A set, because four sources share `publishNavs`.
      const preparations = new Set(Object.values(reads).map(({ prepare }) => prepare));
      for (const prepare of preparations) await prepare?.();
      return await this.snapshots.read((snapshot) => readAll(reads, snapshot));
    } catch (error) {
      // Without a free connection, the four connections for reading separately would make an overload worse.
      if (isRefusal(error) || isPoolTimeout(error)) throw error;
      this.log.warn({ msg: 'the sources of the dashboard are read separately', err: error });
      return this.readSeparately(reads, failures);
    }
  }

  private readsOf(userId: string, query: DashboardQuery): SourceReads {
    const now = this.clock.now(); // read before the NAVs are published, so that the NAVs of the day of `now` are among them
    let navs: NavDays = new Map();
    const publishNavs = async () => {
      navs = await this.navs.getCurrentNavs();
    };
    const writeNotifications = async () => {
      if (query.recentNotifications > 0) await this.dailyNotifications.writeDueNotifications(userId);
    };
    return {
      notifications: {
        prepare: writeNotifications,
        read: ({ manager }) =>
          this.notifications.listRecentNotifications(userId, query.recentNotifications, manager),
      },
      profile: { read: ({ manager }) => this.profiles.get(userId, manager) },
      allowance: { read: ({ manager }) => this.withdrawals.getAllowance(userId, manager) },
      transactions: {
        read: ({ manager }) =>
          this.transactions.findRecentTransactions(userId, query.recentTransactions, manager),
      },
      balance: {
        prepare: publishNavs,
        read: ({ manager }) => this.balances.getBalance(userId, { manager, navs }),
      },
      newest: {
        prepare: publishNavs,
        read: ({ manager }) =>
          this.portfolio.listNewestOpen(userId, MAX_LISTED_INVESTMENTS, { manager, navs }),
      },
      portfolio: {
        prepare: publishNavs,
        read: ({ manager }) => this.portfolio.sumInvestments(userId, { manager, navs }),
      },
      past: { prepare: publishNavs, read: (snapshot) => this.readPast(snapshot, userId, now, query) },
    };
  }

  private async readPast(
    snapshot: Snapshot,
    userId: string,
    now: Date,
    { includeCharts, period }: DashboardQuery,
  ): Promise<PastBalances> {
    const today = dayOf(now);
    const days = includeCharts ? daysUpTo(today, period) : [];
    const ends = days.map((day) => endOf(day, today));
    const dayAgo = momentOf(new Date(now.getTime() - DAY_MS));
    const moments = [...ends, dayAgo].sort(byTime); // as `balancesIn` requires
    const daysOfGrowth = days.map((day) => addDays(day, -1));
    const ranges = daysOfGrowth.map((day) => ({ from: day, to: day }));
    const [past, growth] = await Promise.all([
      this.balanceHistory.balancesIn(snapshot, userId, moments),
      this.investmentHistory.growthInRanges(snapshot, userId, ranges, today),
    ]);
    const balanceAt = (moment: typeof dayAgo) => past[moments.indexOf(moment)] as PastBalance;
    return {
      dayAgo: balanceAt(dayAgo),
      days: ends.map(balanceAt),
      growth: daysOfGrowth.map((day, index) => ({ day, growth: growth[index] ?? Money.ZERO })),
    };
  }

  /** Reads each source in a snapshot of its own, at most MAX_CONNECTIONS at once. */
  private async readSeparately(reads: SourceReads, failures: unknown[]): Promise<Partial<Sources>> {
    const sources: Record<string, unknown> = {};
    const waiting: [string, Source<unknown>][] = Object.entries(reads);
    const readWaiting = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [name, { prepare, read }] = next;
        sources[name] = await this.attempt(async () => {
          await prepare?.();
          return this.snapshots.read(read);
        }, failures);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONNECTIONS }, readWaiting));
    return sources;
  }

  /** Returns undefined after a failure, which it adds to `failures`. Throws a refusal such as USER_NOT_FOUND. */
  private async attempt<T>(read: () => Promise<T>, failures: unknown[]): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.log.warn({ msg: 'a source of the dashboard does not answer', err: error });
      failures.push(error);
      return undefined;
    }
  }
}

/** The statements are sent together. */
async function readAll(reads: SourceReads, snapshot: Snapshot): Promise<Sources> {
  const answers = await Promise.all(
    Object.entries(reads).map(async ([name, { read }]) => [name, await read(snapshot)]),
  );
  return Object.fromEntries(answers) as Sources;
}

function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.status < 500;
}

function daysUpTo(last: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, index) => addDays(last, index + 1 - count));
}
