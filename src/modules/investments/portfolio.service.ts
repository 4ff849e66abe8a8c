import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { offsetOf, paginate } from '../../http/request/pagination.js';
import { addDays, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import type { Strategy } from '../strategies/domain/catalogue.js';
import { NavsService, type NavDays } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { INVESTMENT_COLUMNS, investmentOf, type Investment, type InvestmentRow } from './investment.row.js';
import type { ShownStatus } from './domain/investment.state-machine.js';
import { GROWTH_BETWEEN } from './investment-history.repository.js';
import { pricesOf, priceTable, VALUE_SQL } from './domain/valuation.js';
import type {
  InvestmentDetailResponse,
  InvestmentItemResponse,
  InvestmentResponse,
  PerformanceResponse,
} from './dto/investment.response.js';
import type { InvestmentsQuery } from './dto/investments.request.js';
import {
  OPEN_POSITIONS_SQL,
  openPositions,
  type OpenPosition,
  type PositionRow,
} from './domain/open-positions.js';
import { toPerformanceResponse, toSummaryResponse, type Group } from './portfolio.mapper.js';
import {
  toInvestmentDetailResponse,
  toInvestmentItemResponse,
  toInvestmentResponse,
  shownIn,
  type Shown,
} from './investments.mapper.js';

interface Filter {
  readonly status?: ShownStatus;
  readonly strategyId?: string;
}

type Order = Pick<InvestmentsQuery, 'sortBy' | 'orderBy'>;

const SORT_COLUMN: Record<InvestmentsQuery['sortBy'], string> = {
  createdAt: 'investment.created_at',
  amount: 'investment.amount',
  currentValue: VALUE_SQL,
};

// Parameters 1 to 5: user, prices, suspended strategies, status, strategy.
const SHOWN_STATUS = `case when investment.status = 'active' and investment.strategy_id = any($3) then 'paused'
  else investment.status end`;
const MATCHING = `from investment join ${priceTable(2)} using (strategy_id)
  where user_id = $1 and ($4::text is null or ${SHOWN_STATUS} = $4) and ($5::text is null or strategy_id = $5)`;

/** Everything that is read of investments. */
@Injectable()
export class PortfolioService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
  ) {}

  /** A page of a user's investments, and the sums over all that match. */
  async list(userId: string, query: InvestmentsQuery): Promise<EnvelopedResponse<InvestmentItemResponse[]>> {
    const days = await this.navs.today();
    const [page, groups] = await Promise.all([
      this.page(userId, days, query, query),
      this.groups(userId, days, query),
    ]);
    const total = groups.reduce((sum, group) => sum + group.count, 0);
    return new EnvelopedResponse(
      page.map((investment) => toInvestmentItemResponse(this.shown(investment, days))),
      { summary: toSummaryResponse(groups), pagination: { ...paginate(query.page, query.limit, total) } },
    );
  }

  /** Throws INVESTMENT_NOT_FOUND, and PERMISSION_DENIED for another user's. */
  async detail(userId: string, id: string): Promise<InvestmentDetailResponse> {
    const days = await this.navs.today();
    const [row] = await this.dataSource.query<InvestmentRow[]>(
      `select ${INVESTMENT_COLUMNS} from investment where id = $1`,
      [id],
    );
    const investment = row ? investmentOf(row) : fail('INVESTMENT_NOT_FOUND');
    if (investment.userId !== userId) fail('PERMISSION_DENIED');
    return toInvestmentDetailResponse(this.shown(investment, days));
  }

  async performance(userId: string): Promise<PerformanceResponse> {
    return toPerformanceResponse(await this.groups(userId, await this.navs.today(), {}), this.strategies);
  }

  /** Pending, active and paused investments, summed by strategy, in one query. */
  async openPositionsOf(userId: string): Promise<OpenPosition[]> {
    const [row] = await this.dataSource.query<{ positions: PositionRow[] }[]>(
      `select ${OPEN_POSITIONS_SQL} as positions`,
      [userId, pricesOf(await this.navs.today())],
    );
    return openPositions(row?.positions ?? [], this.strategies);
  }

  /** The newest of a user's pending, active and paused investments. */
  async newestOpenOf(userId: string, limit: number): Promise<InvestmentResponse[]> {
    const days = await this.navs.today();
    const rows = await this.dataSource.query<InvestmentRow[]>(
      `select ${INVESTMENT_COLUMNS} from investment where user_id = $1 and status in ('pending', 'active')
        order by created_at desc, id desc limit $2`,
      [userId, limit],
    );
    return rows.map((row) => toInvestmentResponse(this.shown(investmentOf(row), days)));
  }

  /**
   * What the days after `last` and up to `day`, which has ended, have brought to everything that was open on them, ended
   * since or not; below zero for a loss. Growth of a day shows from the midnight after it. `from` is the first of these
   * days on which something earned, null where nothing did.
   */
  async growthSince(
    userId: string,
    last: Day | null,
    day: Day,
  ): Promise<{ from: Day | null; growth: Money }> {
    await this.navs.today();
    const [row] = await this.dataSource.query<{ first: Day | null; growth: string }[]>(GROWTH_BETWEEN, [
      userId,
      last === null ? null : addDays(last, 1),
      addDays(day, 1),
    ]);
    const from = row?.first ? addDays(row.first, -1) : null;
    return { from, growth: Money.of(row?.growth ?? '0') };
  }

  /** The suspended strategies in which a user's investments are paused. */
  async pausedStrategiesOf(userId: string): Promise<Strategy[]> {
    const suspended = this.strategies.suspendedIds();
    if (suspended.length === 0) return [];
    const rows = await this.dataSource.query<{ strategy_id: string }[]>(
      `select distinct strategy_id from investment
        where user_id = $1 and status = 'active' and strategy_id = any($2) order by 1`,
      [userId, suspended],
    );
    return rows.map((row) => this.strategies.get(row.strategy_id));
  }

  private shown(investment: Investment, days: NavDays): Shown {
    return shownIn(this.strategies, investment, days);
  }

  private async page(
    userId: string,
    days: NavDays,
    filter: Filter,
    paging: Order & { page: number; limit: number },
  ): Promise<Investment[]> {
    const direction = paging.orderBy === 'asc' ? 'asc' : 'desc';
    const rows = await this.dataSource.query<InvestmentRow[]>(
      `select ${INVESTMENT_COLUMNS} ${MATCHING}
        order by ${SORT_COLUMN[paging.sortBy]} ${direction}, id ${direction} limit $6 offset $7`,
      [...this.matching(userId, days, filter), paging.limit, offsetOf(paging)],
    );
    return rows.map(investmentOf);
  }

  private async groups(userId: string, days: NavDays, filter: Filter): Promise<Group[]> {
    const rows = await this.dataSource.query<
      Record<
        | 'strategy_id'
        | 'status'
        | 'count'
        | 'amount'
        | 'value'
        | 'fees'
        | 'principal'
        | 'growth'
        | 'closed_fees',
        string
      >[]
    >(
      `select strategy_id, ${SHOWN_STATUS} as status, count(*), sum(amount) as amount, sum(${VALUE_SQL}) as value,
              sum(fees) as fees, sum(closed_principal) as principal, sum(closed_growth) as growth,
              sum(closed_fees) as closed_fees
         ${MATCHING} group by 1, 2`,
      this.matching(userId, days, filter),
    );
    return rows.map((row) => ({
      strategyId: row.strategy_id,
      status: row.status as ShownStatus,
      count: parseInt(row.count, 10),
      amount: Money.of(row.amount),
      value: Money.of(row.value),
      fees: Money.of(row.fees),
      closedPart: {
        principal: Money.of(row.principal),
        growth: Money.of(row.growth),
        fees: Money.of(row.closed_fees),
      },
    }));
  }

  private matching(userId: string, days: NavDays, { status, strategyId }: Filter): unknown[] {
    return [userId, pricesOf(days), this.strategies.suspendedIds(), status ?? null, strategyId ?? null];
  }
}
