import { Injectable } from '@nestjs/common';
import type { Rows } from '../../http/request/pagination.js';
import { addDays, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import type { Money } from '../../common/money.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import {
  toInvestmentDetailsOn,
  toOpenPositions,
  type InvestmentDetails,
  type OpenPosition,
} from './domain/investment.js';
import type { InvestmentsQuery } from './dto/investments.request.js';
import { InvestmentHistoryRepository } from './investment-history.repository.js';
import { InvestmentsRepository, type InvestmentGroup } from './investments.repository.js';

/** Reads of one user's investments. */
@Injectable()
export class PortfolioService {
  constructor(
    private readonly repository: InvestmentsRepository,
    private readonly history: InvestmentHistoryRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
  ) {}

  /** A page of the user's investments, and sums over all that match. */
  async list(
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
      rows: page.map((investment) =>
        toInvestmentDetailsOn(this.strategies.getState(investment.strategyId), investment, days),
      ),
      total: groups.reduce((sum, { count }) => sum + count, 0),
      groups,
    };
  }

  /** Throws INVESTMENT_NOT_FOUND, and PERMISSION_DENIED for another user's investment. */
  async detail(userId: string, id: string): Promise<InvestmentDetails> {
    const days = await this.navs.getCurrentNavs();
    const investment = (await this.repository.findInvestment(id)) ?? fail('INVESTMENT_NOT_FOUND');
    if (investment.userId !== userId) fail('PERMISSION_DENIED');
    return toInvestmentDetailsOn(this.strategies.getState(investment.strategyId), investment, days);
  }

  /** Sums over all of the user's investments. */
  async performance(userId: string): Promise<InvestmentGroup[]> {
    const days = await this.navs.getCurrentNavs();
    return this.repository.sumByStrategyAndStatus({
      userId,
      days,
      suspendedIds: this.strategies.suspendedIds(),
    });
  }

  /** Pending, active and paused investments, summed by strategy. */
  async openPositionsOf(userId: string): Promise<OpenPosition[]> {
    const days = await this.navs.getCurrentNavs();
    return toOpenPositions(await this.repository.findOpenPositions(userId, days), this.strategies.all);
  }

  /** The newest of the user's pending, active and paused investments. */
  async newestOpenOf(userId: string, limit: number): Promise<InvestmentDetails[]> {
    const days = await this.navs.getCurrentNavs();
    const investments = await this.repository.findNewestOpen(userId, limit);
    return investments.map((investment) =>
      toInvestmentDetailsOn(this.strategies.getState(investment.strategyId), investment, days),
    );
  }

  /**
   * Growth of the days after `last` up to `day`, which has ended, of open and ended investments; a loss is negative.
   * The growth of a day shows from the following midnight on. `from` is the first day with growth, null without any.
   */
  async growthSince(
    userId: string,
    last: Day | null,
    day: Day,
  ): Promise<{ from: Day | null; growth: Money }> {
    await this.navs.publishMissingNavs();
    const { first, growth } = await this.history.growthBetween(
      userId,
      last === null ? null : addDays(last, 1),
      addDays(day, 1),
    );
    return { from: first === null ? null : addDays(first, -1), growth };
  }

  /** The suspended strategies in which the user has active investments. */
  async pausedStrategiesOf(userId: string): Promise<Strategy[]> {
    const suspended = this.strategies.suspendedIds();
    if (suspended.length === 0) return [];
    const ids = await this.repository.findStrategiesWithActive(userId, suspended);
    return ids.map((id) => this.strategies.getStrategy(id));
  }
}
