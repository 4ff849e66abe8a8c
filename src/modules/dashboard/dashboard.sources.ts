import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { addDays, DAY_MS, dayOf, type Day } from '../../common/days.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { byTime, endOf, momentOf } from '../../common/moment.js';
import { BalanceHistory, type Standing } from '../balance/balance-history.queries.js';
import { BalanceQueries, type Balance } from '../balance/balance.queries.js';
import { PortfolioService } from '../investments/portfolio.service.js';
import type { OpenPosition } from '../investments/domain/open-positions.js';
import type { InvestmentResponse } from '../investments/dto/investment.response.js';
import type { NotificationDetails } from '../notifications/notifications.types.js';
import { NotificationsService } from '../notifications/notifications.service.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';
import type { TransactionDetails } from '../transactions/transactions.types.js';
import { UsersService } from '../users/users.service.js';
import { type User } from '../users/entities/user.entity.js';
import { WalletLinksService } from '../wallets/wallet-links.service.js';
import { WithdrawalQueries, type WithdrawalAllowance } from '../withdrawals/withdrawals.queries.js';
import type { DashboardQuery } from './dto/dashboard.request.js';

/** The newest are listed; sums count all. */
const MOST_INVESTMENTS = 100;

/** What the sections are made of; undefined is what could not be read. */
export interface Sources {
  readonly user: { person: User; walletAddress: string | null } | undefined;
  readonly money: { balance: Balance; dayAgo: Standing; days: readonly Standing[] } | undefined;
  readonly investments: { newest: InvestmentResponse[]; positions: OpenPosition[] } | undefined;
  readonly allowance: WithdrawalAllowance | undefined;
  readonly transactions: TransactionDetails[] | undefined;
  readonly notifications: NotificationDetails[] | undefined;
  readonly failures: readonly unknown[];
}

type Wishes = Pick<DashboardQuery, 'includeCharts' | 'period' | 'recentTransactions' | 'recentNotifications'>;

@Injectable()
export class DashboardSources {
  private readonly log = new Logger('Dashboard');

  constructor(
    private readonly users: UsersService,
    private readonly wallets: WalletLinksService,
    private readonly balances: BalanceQueries,
    private readonly history: BalanceHistory,
    private readonly investments: PortfolioService,
    private readonly withdrawals: WithdrawalQueries,
    private readonly transactions: TransactionsRepository,
    private readonly notifications: NotificationsService,
    private readonly clock: Clock,
  ) {}

  /** Four lanes side by side, a connection each. Throws USER_NOT_FOUND; what else fails is left out. */
  async read(userId: string, wishes: Wishes): Promise<Sources> {
    const failures: unknown[] = [];
    const attempt = <T>(read: () => Promise<T>) => this.unlessItFails(read, failures);
    const [money, investments, [user, allowance], [transactions, notifications]] = await Promise.all([
      attempt(() => this.money(userId, wishes)),
      attempt(() => this.openInvestments(userId)),
      inTurn(
        () => attempt(() => this.user(userId)),
        () => attempt(() => this.withdrawals.allowanceOf(userId)),
      ),
      inTurn(
        () => attempt(() => this.transactions.findRecentTransactions(userId, wishes.recentTransactions)),
        () => attempt(() => this.notifications.listRecentNotifications(userId, wishes.recentNotifications)),
      ),
    ]);
    return { user, money, investments, allowance, transactions, notifications, failures };
  }

  /** The balance now and a day ago; with charts also at the end of each day, and of the one before the first. */
  private async money(userId: string, { includeCharts, period }: Wishes): Promise<Sources['money']> {
    const balance = await this.balances.of(userId);
    const now = this.clock.now();
    const today = dayOf(now);
    const ends = (includeCharts ? daysUpTo(today, period + 1) : []).map((day) => endOf(day, today));
    const ago = momentOf(new Date(now.getTime() - DAY_MS));
    const moments = [...ends, ago].sort(byTime);
    const standings = await this.history.at(userId, moments);
    const of = (moment: typeof ago) => standings[moments.indexOf(moment)] as Standing;
    return { balance, dayAgo: of(ago), days: ends.map(of) };
  }

  private async user(userId: string): Promise<Sources['user']> {
    const person = await this.users.get(userId);
    const wallet = (await this.wallets.of(userId)).find(({ suspendedAt }) => suspendedAt === null);
    return { person, walletAddress: wallet?.address ?? null };
  }

  private async openInvestments(userId: string): Promise<Sources['investments']> {
    const newest = await this.investments.newestOpenOf(userId, MOST_INVESTMENTS);
    return { newest, positions: await this.investments.openPositionsOf(userId) };
  }

  private async unlessItFails<T>(read: () => Promise<T>, failures: unknown[]): Promise<T | undefined> {
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

async function inTurn<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  return [await first(), await second()];
}
