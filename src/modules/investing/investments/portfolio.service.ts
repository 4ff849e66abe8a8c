import { Injectable } from '@nestjs/common';
import type { Rows } from '../../../http/request/pagination.js';
import { AppConfig } from '../../../config/app-config.js';
import { addDays, startOfDay, type Day } from '../../../common/days.js';
import { throwError, failAmount } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import type { NavDays, ValuedSnapshot } from '../strategies/strategies.types.js';
import { planClosing, type Closing } from './domain/closing.js';
import { lockEndOf, toInvestmentDetailsOn, type InvestmentDetails } from './domain/investment.js';
import { statusAfter } from './domain/investment.state-machine.js';
import type { InvestmentsQuery } from './dto/investments.request.js';
import type { Investment } from './entities/investment.entity.js';
import { InvestmentHistoryRepository } from './investment-history.repository.js';
import { InvestmentsRepository, type InvestmentGroup } from './investments.repository.js';

/** The amounts that a closing would pay. */
export interface ClosingQuote {
  readonly investment: Investment;
  readonly closing: Closing;
  /** The end of the lock-up; null if the user can close now. */
  readonly lockedUntil: Date | null;
  /** Domain time of the quote. */
  readonly at: Date;
  /** The next midnight: values and fees change by day. */
  readonly validUntil: Date;
}

/** Sums over all investments of a user, and in `days` the NAVs of today, with the yields that the strategies have achieved. */
export interface SummedPortfolio {
  readonly groups: readonly InvestmentGroup[];
  readonly days: NavDays;
}

/** Reads one user's investments. */
@Injectable()
export class PortfolioService {
  constructor(
    private readonly repository: InvestmentsRepository,
    private readonly history: InvestmentHistoryRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly config: AppConfig,
  ) {}

  /** A page of the user's investments, and sums over all investments that match the query. */
  async listInvestments(
    userId: string,
    query: InvestmentsQuery,
  ): Promise<Rows<InvestmentDetails> & { groups: InvestmentGroup[] }> {
    const { status, strategyId } = query;
    const days = await this.navs.getCurrentNavs();
    const filter = { userId, days, suspendedIds: this.strategies.suspendedIds(), status, strategyId };
    const [page, groups] = await Promise.all([
      this.repository.findInvestmentsPage(filter, query),
      this.repository.sumByStrategyAndStatus(filter),
    ]);
    return {
      ...page,
      rows: page.rows.map((investment) =>
        toInvestmentDetailsOn(this.strategies.getState(investment.strategyId), investment, days),
      ),
      total: groups.filter((group) => group.status !== 'moved').reduce((sum, { count }) => sum + count, 0),
      groups,
    };
  }

  /** Throws INVESTMENT_NOT_FOUND, and PERMISSION_DENIED for another user's investment. */
  async getInvestment(userId: string, id: string): Promise<InvestmentDetails> {
    const days = await this.navs.getCurrentNavs();
    const investment = await this.getOwnInvestment(userId, id);
    return toInvestmentDetailsOn(this.strategies.getState(investment.strategyId), investment, days);
  }

  /**
   * Computes what closing the investment, or `amount` of its price, would pay now. The lock-up is reported, not enforced.
   * Throws as `getInvestment` does, INVESTMENT_ALREADY_CLOSED, INVALID_STATE while the investment is pending, and
   * INVALID_AMOUNT (422) for zero and above the price.
   */
  async quoteClosing(userId: string, id: string, amount: string | undefined): Promise<ClosingQuote> {
    const investment = await this.getOwnInvestment(userId, id);
    statusAfter(investment.status, 'close');
    const requested = amount === undefined ? undefined : requirePositive(Money.of(amount));
    const day = await this.navs.getCurrentDay(investment.strategyId);
    const { closing } = planClosing(investment, requested, day, this.config);
    return {
      investment,
      closing,
      lockedUntil: lockEndOf(investment, day.at, this.config.INVESTMENT_LOCK_DAYS),
      at: day.at,
      validUntil: startOfDay(addDays(day.day, 1)),
    };
  }

  /** Sums over all of the user's investments in the snapshot, or at present without one. */
  async sumInvestments(userId: string, snapshot?: ValuedSnapshot): Promise<SummedPortfolio> {
    const days = snapshot?.navs ?? (await this.navs.getCurrentNavs());
    const filter = { userId, days, suspendedIds: this.strategies.suspendedIds() };
    return { groups: await this.repository.sumByStrategyAndStatus(filter, snapshot?.manager), days };
  }

  /** The newest of the user's pending, active and paused investments, with the NAVs of the snapshot. */
  async listNewestOpen(
    userId: string,
    limit: number,
    { manager, navs }: ValuedSnapshot,
  ): Promise<InvestmentDetails[]> {
    const investments = await this.repository.findNewestOpen(userId, limit, manager);
    return investments.map((investment) =>
      toInvestmentDetailsOn(this.strategies.getState(investment.strategyId), investment, navs),
    );
  }

  /**
   * The growth that the user's investments, also ended ones, earned on the days after `last` (null: on all days) up to `day`, which
   * has ended; a loss is negative. `first` is the first day that earned; null without any.
   */
  async getGrowthSince(
    userId: string,
    last: Day | null,
    day: Day,
  ): Promise<{ first: Day | null; growth: Money }> {
    await this.navs.publishMissingNavs();
    return this.history.growthBetween(userId, last, day);
  }

  /** The suspended strategies in which the user has active investments. */
  async listPausedStrategies(userId: string): Promise<Strategy[]> {
    const suspended = this.strategies.suspendedIds();
    if (suspended.length === 0) return [];
    const ids = await this.repository.findStrategiesWithActive(userId, suspended);
    return ids.map((id) => this.strategies.getStrategy(id));
  }

  private async getOwnInvestment(userId: string, id: string): Promise<Investment> {
    const investment = (await this.repository.findInvestment(id)) ?? throwError('INVESTMENT_NOT_FOUND');
    return investment.userId === userId ? investment : throwError('PERMISSION_DENIED');
  }
}

function requirePositive(amount: Money): Money {
  if (amount.isPositive()) return amount;
  return failAmount('The amount must be above zero.', { requested: amount }, 422);
}
