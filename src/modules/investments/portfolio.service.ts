import { Injectable } from '@nestjs/common';
import type { Rows } from '../../http/request/pagination.js';
import { AppConfig } from '../../config/app-config.js';
import { addDays, startOfDay, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import type { ValuedSnapshot } from '../strategies/strategies.types.js';
import { planClosing, type Closing } from './domain/closing.js';
import {
  lockEndOf,
  toInvestmentDetailsOn,
  toOpenPositions,
  type InvestmentDetails,
  type OpenPosition,
} from './domain/investment.js';
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
      rows: page.map((investment) =>
        toInvestmentDetailsOn(this.strategies.getState(investment.strategyId), investment, days),
      ),
      total: groups.reduce((sum, { count }) => sum + count, 0),
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

  /** Sums over all of the user's investments. */
  async sumInvestments(userId: string): Promise<InvestmentGroup[]> {
    const days = await this.navs.getCurrentNavs();
    return this.repository.sumByStrategyAndStatus({
      userId,
      days,
      suspendedIds: this.strategies.suspendedIds(),
    });
  }

  /** Sums over the user's pending, active and paused investments by strategy. */
  async openPositionsOf(userId: string): Promise<OpenPosition[]> {
    const days = await this.navs.getCurrentNavs();
    return toOpenPositions(await this.repository.findOpenPositions(userId, days), this.strategies.all);
  }

  /** The newest of the user's pending, active and paused investments, with the NAVs of the snapshot. */
  async newestOpenOf(
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
   * The growth of the user's investments, also of ended ones, on the days after `last` (null: on all days) up to `day`, which
   * has ended; a loss is negative. `from` is the first day with growth; null without any. `growthBetween` counts the growth of
   * a day at the midnight that ends it, hence on the following day.
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

  private async getOwnInvestment(userId: string, id: string): Promise<Investment> {
    const investment = (await this.repository.findInvestment(id)) ?? fail('INVESTMENT_NOT_FOUND');
    return investment.userId === userId ? investment : fail('PERMISSION_DENIED');
  }
}

function requirePositive(amount: Money): Money {
  if (amount.isPositive()) return amount;
  const message = 'The amount must be above zero.';
  return fail('INVALID_AMOUNT', { requested: amount.toWire() }, { status: 422, message });
}
