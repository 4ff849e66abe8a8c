import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { offsetOf, type Rows } from '../../http/pagination/page.js';
import { Money } from '../../kernel/money.js';
import { Navs, type NavDays } from '../strategies/navs.service.js';
import { Strategies } from '../strategies/strategies.service.js';
import { STORED_STATUS, type AdminStatus } from './admin-investment.views.js';
import { ownedOf, OWNER_COLUMNS, type OwnedInvestment, type OwnedRow } from './admin-investments.rows.js';
import { FILTER, PRICES, rankedByValue, type Direction } from './investment-ranking.js';
import { INVESTMENT_COLUMNS } from './investment.row.js';
import type { InvestmentStatus } from './investment.transitions.js';
import { pricesOf, VALUE_SQL } from './investment-value.js';
import { shownIn } from './shown-investment.js';

export interface InvestmentFilter {
  readonly status?: AdminStatus | undefined;
  readonly strategyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly minAmount?: string | undefined;
  readonly createdAfter?: string | undefined;
}

export interface ListOrder {
  readonly sortBy: 'createdAt' | 'amount' | 'currentValue';
  readonly orderBy: Direction;
  readonly page: number;
  readonly limit: number;
}

/** Sums over all investments of one strategy and status. */
export interface InvestmentTotals {
  readonly strategyId: string;
  readonly status: InvestmentStatus;
  readonly count: number;
  readonly amount: Money;
  readonly value: Money;
  /** Growth so far, with what partial closings have realised. */
  readonly earnings: Money;
  /** The last change of any of them. */
  readonly changedAt: Date;
}

type TotalsRow = Record<'strategy_id' | 'amount' | 'value' | 'earnings', string> & {
  status: InvestmentStatus;
  count: number;
  changed_at: Date;
};

/** What admins read of all users' investments. A list costs two statements, however long it is. */
@Injectable()
export class AdminInvestmentQueries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly navs: Navs,
    private readonly strategies: Strategies,
  ) {}

  async list(
    filter: InvestmentFilter & ListOrder,
  ): Promise<Rows<OwnedInvestment> & { totals: InvestmentTotals[] }> {
    const days = await this.navs.today();
    const rows = await this.page(filter, days);
    const totals = await this.totals(filter, days);
    return {
      rows: rows.map((row) => {
        const { investment, owner } = ownedOf(row);
        return { shown: shownIn(this.strategies, investment, days), owner };
      }),
      total: totals.reduce((sum, { count }) => sum + count, 0),
      totals,
    };
  }

  /** Sums over everything that the filter selects. */
  async totals(filter: InvestmentFilter, days: NavDays): Promise<InvestmentTotals[]> {
    const rows = await this.dataSource.query<TotalsRow[]>(
      `select strategy_id, status, count(*)::int as count, sum(amount) as amount, sum(${VALUE_SQL}) as value,
              sum(${VALUE_SQL} - amount + closed_growth) as earnings, max(updated_at) as changed_at
         from investment join ${PRICES} using (strategy_id) where ${FILTER} group by 1, 2`,
      [...chosen(filter), pricesOf(days)],
    );
    return rows.map((row) => ({
      strategyId: row.strategy_id,
      status: row.status,
      count: row.count,
      amount: Money.of(row.amount),
      value: Money.of(row.value),
      earnings: Money.of(row.earnings),
      changedAt: row.changed_at,
    }));
  }

  private async page(filter: InvestmentFilter & ListOrder, days: NavDays): Promise<OwnedRow[]> {
    const { orderBy, limit } = filter;
    const columns = `${INVESTMENT_COLUMNS}, ${OWNER_COLUMNS}`;
    const offset = offsetOf(filter);
    const column = columnOf(filter);
    if (column) {
      return this.dataSource.query<OwnedRow[]>(
        `select ${columns} from investment where ${FILTER}
          order by ${column} ${orderBy}, id ${orderBy} limit $6 offset $7`,
        [...chosen(filter), limit, offset],
      );
    }
    if (filter.userId !== undefined) {
      // A single user's are few: they are worked out and sorted.
      return this.dataSource.query<OwnedRow[]>(
        `select ${columns} from investment join ${PRICES} using (strategy_id) where ${FILTER}
          order by ${VALUE_SQL} ${orderBy}, id ${orderBy} limit $7 offset $8`,
        [...chosen(filter), pricesOf(days), limit, offset],
      );
    }
    return this.dataSource.query<OwnedRow[]>(
      `select ${columns}
         from (select id, worth from ${rankedByValue(orderBy, { activeOnly: filter.status === 'active' })}
                order by worth ${orderBy}, id ${orderBy} limit $8 offset $9) as page
         join investment using (id)
        order by worth ${orderBy}, id ${orderBy}`,
      [...chosen(filter), pricesOf(days), offset + limit, limit, offset],
    );
  }
}

/** The column that has the order; undefined where it is the value of what grows. */
function columnOf({ sortBy, status }: InvestmentFilter & ListOrder): string | undefined {
  if (sortBy === 'createdAt') return 'created_at';
  if (sortBy === 'amount' || status === 'pending' || status === 'cancelled') return 'amount';
  return status === 'completed' ? 'final_value' : undefined;
}

/** Parameters 1 to 5. */
function chosen(filter: InvestmentFilter): unknown[] {
  const { status, strategyId, userId, minAmount, createdAfter } = filter;
  return [
    status ? STORED_STATUS[status] : null,
    strategyId ?? null,
    userId ?? null,
    minAmount ?? null,
    createdAfter === undefined ? null : new Date(createdAfter),
  ];
}
