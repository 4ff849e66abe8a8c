import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { addDays, dayOf, type Day } from '../../common/days.js';
import { DAY_MS } from '../../common/durations.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { byTime, endOf, momentOf } from '../../common/moment.js';
import { BalanceHistoryService, type PastBalance } from '../balance/balance-history.service.js';
import { BalanceService, type Balance } from '../balance/balance.service.js';
import { DepositPollJob } from '../deposits/deposit-poll.job.js';
import type { InvestmentDetails, OpenPosition } from '../investments/domain/investment.js';
import { PortfolioService } from '../investments/portfolio.service.js';
import type { Notification } from '../notifications/entities/notification.entity.js';
import { NotificationsService } from '../notifications/notifications.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';
import type { TransactionDetails } from '../transactions/entities/transaction.entity.js';
import { ProfilesService, type Profile } from '../users/profiles.service.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { ChainHealthService, type ChainHealth } from './chain-health.service.js';
import { quickActions, type QuickAction } from './domain/quick-actions.js';
import type { DashboardQuery } from './dto/dashboard.request.js';

/** Bounds the list; the sums of its section include all open investments. */
const MOST_LISTED_INVESTMENTS = 100;

/** The data of the sections; undefined if a source failed. */
export interface Dashboard {
  readonly profile: Profile | undefined;
  readonly money: DashboardMoney | undefined;
  readonly investments:
    { readonly newest: InvestmentDetails[]; readonly positions: readonly OpenPosition[] } | undefined;
  readonly quickActions: QuickAction[] | undefined;
  readonly transactions: TransactionDetails[] | undefined;
  readonly notifications: Notification[] | undefined;
  readonly hasFailures: boolean;
  readonly chain: ChainHealth;
  readonly today: Day;
}

export interface DashboardMoney {
  readonly balance: Balance;
  readonly dayAgo: PastBalance;
  /** With charts: the end of each shown day, preceded by the end of the day before the first. */
  readonly days: readonly PastBalance[];
}

@Injectable()
export class DashboardService {
  private readonly log = new Logger('Dashboard');

  constructor(
    private readonly profiles: ProfilesService,
    private readonly balances: BalanceService,
    private readonly history: BalanceHistoryService,
    private readonly portfolio: PortfolioService,
    private readonly strategies: StrategiesService,
    private readonly withdrawals: WithdrawalsService,
    private readonly transactions: TransactionsRepository,
    private readonly notifications: NotificationsService,
    private readonly chain: ChainHealthService,
    private readonly deposits: DepositPollJob,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads the sources in four parallel series, one connection each. Throws USER_NOT_FOUND, and the first failure if all
   * sources fail.
   */
  async getDashboard(userId: string, query: DashboardQuery): Promise<Dashboard> {
    const failures: unknown[] = [];
    const attempt = <T>(read: () => Promise<T>) => this.catchFailure(read, failures);
    const balanceRead = this.balances.balanceOf(userId);
    const [chain, money, investments, [profile, allowance], [transactions, notifications]] =
      await Promise.all([
        this.chain.chainHealth(),
        attempt(() => this.getMoney(userId, query, balanceRead)),
        attempt(() => this.getOpenInvestments(userId, balanceRead)),
        inSeries(
          () => attempt(() => this.profiles.get(userId)),
          () => attempt(() => this.withdrawals.getAllowance(userId)),
        ),
        inSeries(
          () => attempt(() => this.transactions.findRecentTransactions(userId, query.recentTransactions)),
          () => attempt(() => this.notifications.listRecentNotifications(userId, query.recentNotifications)),
        ),
      ]);
    if (!profile && !money && !investments && !transactions && !notifications) throw failures[0];
    const acceptsDeposits = this.deposits.isAnswering('provider') !== false;
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

  private async getMoney(
    userId: string,
    { includeCharts, period }: DashboardQuery,
    balanceRead: Promise<Balance>,
  ): Promise<DashboardMoney> {
    const balance = await balanceRead;
    const now = this.clock.now();
    const today = dayOf(now);
    const ends = (includeCharts ? daysUpTo(today, period + 1) : []).map((day) => endOf(day, today));
    const dayAgo = momentOf(new Date(now.getTime() - DAY_MS));
    const moments = [...ends, dayAgo].sort(byTime);
    const past = await this.history.balancesAt(userId, moments);
    const balanceAt = (moment: typeof dayAgo) => past[moments.indexOf(moment)] as PastBalance;
    return { balance, dayAgo: balanceAt(dayAgo), days: ends.map(balanceAt) };
  }

  /** Takes the positions from the balance, or reads them separately if the balance cannot be read. */
  private async getOpenInvestments(
    userId: string,
    balanceRead: Promise<Balance>,
  ): Promise<Dashboard['investments']> {
    const newest = await this.portfolio.newestOpenOf(userId, MOST_LISTED_INVESTMENTS);
    const positions = await balanceRead.then(
      (balance) => balance.positions,
      () => this.portfolio.openPositionsOf(userId),
    );
    return { newest, positions };
  }

  /** Adds a failure to the list; a refusal such as USER_NOT_FOUND is thrown. */
  private async catchFailure<T>(read: () => Promise<T>, failures: unknown[]): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DomainError && error.status < 500) throw error;
      this.log.warn({ msg: 'a source of the dashboard does not answer', err: error });
      failures.push(error);
      return undefined;
    }
  }
}

function daysUpTo(last: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, place) => addDays(last, place + 1 - count));
}

async function inSeries<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  return [await first(), await second()];
}
