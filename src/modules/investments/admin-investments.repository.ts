import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { listTotals } from '../../database/list-totals.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { NavsService, type NavDays } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { STORED_STATUS, type AdminStatus } from './dto/admin-investment.response.js';
import { ownedOf, OWNER_COLUMNS, type OwnedInvestment, type OwnedRow } from './admin-investments.rows.js';
import { FILTER, PAID_VALUE, PRICES, rankedByValue, type Direction } from './domain/value-ranking.js';
import { INVESTMENT_COLUMNS } from './investment.row.js';
import type { InvestmentStatus } from './domain/investment.state-machine.js';
import { pricesOf, VALUE_SQL } from './domain/valuation.js';
import { shownIn } from './investments.mapper.js';

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
}

type TotalsRow = Record<'strategy_id' | 'amount' | 'value' | 'earnings', string> & {
  status: InvestmentStatus;
  count: number;
};

/** What is worth its principal, since it is too young to have grown. */
const NOT_GROWN = `investment.issued_on > (select min(price.day) from ${PRICES}) - 2
  and investment.issued_on > price.day - 2`;

/** What admins read of all users' investments. A list costs two statements, however long it is. */
@Injectable()
export class AdminInvestmentQueries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
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

  /** Sums over everything that the filter selects. What the day's values make of units is rounded by strategy. */
  async totals(filter: InvestmentFilter, days: NavDays): Promise<InvestmentTotals[]> {
    const [status, strategyId, userId, minAmount, createdAfter] = chosen(filter);
    const parameters: unknown[] = [...chosen(filter), pricesOf(days)];
    const kept = listTotals(
      {
        list: 'investment',
        facets: [status, strategyId],
        rows: { table: 'investment', name: 'investment', where: FILTER },
        time: { column: 'investment.created_at', from: createdAfter, until: null },
        least: { column: 'investment.amount', amount: minAmount },
        alsoByOthers: userId !== null,
      },
      parameters,
    );
    const rows = await this.dataSource.query<TotalsRow[]>(
      `with kept as (
         select facets[2] as strategy_id, facets[1] as status, sum(rows)::int as count, sum(amount) as amount,
                sum(units) as units, sum(value) as value, sum(growth) as growth
           from (${kept}) as kept group by 1, 2 having sum(rows) > 0
       ), young as (
         select strategy_id, sum(amount - units * price.nav) as above
           from investment join ${PRICES} using (strategy_id)
          where investment.status = 'active' and ${NOT_GROWN} and ${FILTER} group by 1
       )
       select strategy_id, kept.status, count, amount, worth as value, worth - amount + growth as earnings
         from kept join ${PRICES} using (strategy_id) left join young using (strategy_id),
              lateral (select round_half_even(value + case when kept.status = 'active'
                         then units * price.nav + coalesce(above, 0) else 0 end, ${MICRO_SCALE}) as worth) as valued`,
      parameters,
    );
    return rows.map((row) => ({
      strategyId: row.strategy_id,
      status: row.status,
      count: row.count,
      amount: Money.of(row.amount),
      value: Money.of(row.value),
      earnings: Money.of(row.earnings),
    }));
  }

  private async page(filter: InvestmentFilter & ListOrder, days: NavDays): Promise<OwnedRow[]> {
    const { orderBy, limit } = filter;
    const columns = `${INVESTMENT_COLUMNS}, ${OWNER_COLUMNS}`;
    const offset = offsetOf(filter);
    const column = columnOf(filter);
    if (column) {
      return this.dataSource.query<OwnedRow[]>(
        `select ${columns}
           from (select id from investment where ${FILTER}
                  order by ${column} ${orderBy}, id ${orderBy} limit $6 offset $7) as page
           join investment using (id)
          order by ${column} ${orderBy}, id ${orderBy}`,
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
  if (sortBy === 'amount' || status === 'pending') return 'amount';
  if (status === 'cancelled') return PAID_VALUE;
  return status === 'completed' ? 'final_value' : undefined;
}

type Text = string | null;
type Chosen = [status: Text, strategyId: Text, userId: Text, minAmount: Text, createdAfter: Date | null];

/** Parameters 1 to 5. */
function chosen(filter: InvestmentFilter): Chosen {
  const { status, strategyId, userId, minAmount, createdAfter } = filter;
  return [
    status ? STORED_STATUS[status] : null,
    strategyId ?? null,
    userId ?? null,
    minAmount ?? null,
    createdAfter === undefined ? null : new Date(createdAfter),
  ];
}
