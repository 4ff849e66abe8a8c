import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { untilAsTimestamp, type Moment } from '../../../common/moment.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { DAYS_A_YEAR } from '../../../common/ratio.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { asOfSql, listTotals } from '../../../lists/list-totals.js';
import type { NavDays } from '../strategies/strategies.types.js';
import type { FeeRates } from './domain/closing.js';
import type { InvestmentStatus } from './domain/investment.state-machine.js';
import { Investment } from './entities/investment.entity.js';
import {
  FILTER_NAVS,
  filterParameters,
  INVESTMENT_FILTER,
  navTableParameter,
  SUMMED_FILTER,
  VALUE_SQL,
  type InvestmentFilter,
} from './investment-values.repository.js';

/** Sums over the selected investments of one strategy and status. The sums are exact; the callers that show them round them. */
export interface InvestmentTotals {
  readonly strategyId: string;
  /** `moved`: another investment continues it. Only the earnings of its partial closings count; `count` is 0. */
  readonly status: InvestmentStatus | 'moved';
  readonly count: number;
  readonly amount: Money;
  readonly value: Money;
  /** Growth from the first principals, including growth that partial closings have realised. */
  readonly earnings: Money;
}

/** `asOf` is the time up to which the totals include every change. */
export interface SummedInvestments {
  readonly totals: InvestmentTotals[];
  readonly asOf: Date;
}

type TotalsRow = Record<'strategy_id' | 'amount' | 'value' | 'earnings', string> & {
  status: InvestmentTotals['status'];
  count: number | null; // null in the row of a filter without investments
  asOf: Date;
};

/** Selects investments without growth yet, whose value is the principal. The first condition has one bound for all rows, for an index scan. */
const NOT_GROWN = `investment.issued_on > (select min(navs.day) from ${FILTER_NAVS}) - 2
  and investment.issued_on > navs.day - 2`;

/** The quotient rounded down at six decimals. The operator `/` would round it half up at other decimals first. */
const roundedDownQuotient = (dividend: string, divisor: number) =>
  `div((${dividend}) * 1000000, ${divisor}) * 0.000001`;

// `closingFees` of domain/closing.ts, summed over every investment that was open at a moment. A row of `investment` has the present
// state: the parts that were closed after the moment are added to it. The value is the principal until the second midnight after the
// issue. Investments without a day of issue, which wait for approval or were never approved, owe no fees. If the NAV of the day is
// missing, as in a replica that lags at midnight, the newest earlier one applies. Reads `strategy` and `strategy_nav` of the module
// strategies.
// $1: day of the moment. $2: `until` of the moment. $3, $4: rates of the management and of the performance fee in percent.
const ACCRUED_FEES = `
  with candidate as (
    select * from investment where status = 'active'
     union all
    select * from investment where ended_at >= $2::timestamptz
  ), leg as (
    select strategy_id, issued_on, $1::date - (created_at at time zone 'UTC')::date as days,
           amount + coalesce(later.principal, 0) as principal, candidate.units + coalesce(later.units, 0) as units,
           candidate.carried_fees + coalesce(later.carried_fees, 0) as carried
      from candidate
      left join (select investment_id, sum(principal) as principal, sum(units) as units, sum(carried_fee) as carried_fees
                   from investment_closing where at >= $2::timestamptz group by investment_id) as later
        on later.investment_id = candidate.id
     where issued_on is not null and coalesce(approved_at, created_at) < $2::timestamptz
  ), navs as (
    select strategy.id as strategy_id, newest.nav
      from strategy
      left join lateral (select nav from strategy_nav where strategy_id = strategy.id and day <= $1::date order by day desc limit 1) as newest
        on true
  ), valued as (
    select principal, carried, ${roundedDownQuotient('principal * $3::numeric * days', 100 * DAYS_A_YEAR)} as management,
           case when $1::date >= issued_on + 2 then round_half_even(units * nav, ${MICRO_SCALE}) else principal end as value
      from leg left join navs using (strategy_id)
  )
  select coalesce(sum(least(value, management + ${roundedDownQuotient('greatest(value - principal, 0) * $4::numeric', 100)} + carried)), 0)::text as fees
    from valued`;

/** Sums over the investments of all users, which also reports read. */
@Injectable()
export class InvestmentTotalsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** When any investment last changed; null without one. */
  async findLastChange(): Promise<Date | null> {
    const newest = { select: { updatedAt: true }, order: { updatedAt: 'DESC' }, take: 1 } as const;
    const [changed] = await this.dataSource.manager.find(Investment, newest);
    return changed?.updatedAt ?? null;
  }

  /**
   * Sums by strategy and status over all investments that the filter selects. The value of active investments is units × NAV plus a
   * correction (`corrected`): an investment without growth yet is worth its principal, and with a filter by user each value is rounded,
   * so that the sums are those that the user sees.
   */
  async sumInvestments(
    filter: InvestmentFilter,
    days: NavDays,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<SummedInvestments> {
    const [status, strategyId, userId, minAmount, from, until] = filterParameters(filter);
    const parameters: unknown[] = [...filterParameters(filter), navTableParameter(days)];
    const sums = listTotals(
      {
        list: 'investment',
        facets: [status, strategyId],
        rows: { table: 'investment', name: 'investment', where: SUMMED_FILTER },
        time: { column: 'investment.created_at', from, until },
        hasOtherConditions: userId !== null || minAmount !== null,
      },
      parameters,
    );
    const rows = await manager.query<TotalsRow[]>(
      `with total as (
         select facets[2] as strategy_id, facets[1] as status, coalesce(sum(rows) filter (where facets[1] <> 'moved'), 0)::int as count, sum(amount) as amount,
                sum(units) as units, sum(value) as value, sum(growth) as growth
           from (${sums}) as part where $1::text is null or facets[1] = $1 group by 1, 2 having sum(rows) > 0
       ), corrected as (
         select strategy_id, sum(${VALUE_SQL} - units * navs.nav) as difference
           from investment join ${FILTER_NAVS} using (strategy_id)
          where investment.status = 'active' and ${userId === null ? NOT_GROWN : 'true'} and ${INVESTMENT_FILTER} group by 1
       )
       select ${asOfSql('investment')} as "asOf", valued.*
         from (select) as always left join (
           select strategy_id, total.status, count, amount, exact.value, exact.value - amount + growth as earnings
         from total join ${FILTER_NAVS} using (strategy_id) left join corrected using (strategy_id),
              lateral (select total.value + case when total.status = 'active'
                         then units * navs.nav + coalesce(difference, 0) else 0 end as value) as exact) as valued on true`,
      parameters,
    );
    const totals = rows
      .filter(({ count }) => count !== null)
      .map((row) => ({
        strategyId: row.strategy_id,
        status: row.status,
        count: row.count ?? 0,
        amount: Money.of(row.amount),
        value: Money.of(row.value),
        earnings: Money.of(row.earnings),
      }));
    return { totals, asOf: (rows[0] as TotalsRow).asOf };
  }

  /** The fees of closing all investments that were open at the moment, at its values and these rates. */
  async getAccruedFees(snapshot: Snapshot, at: Moment, rates: FeeRates): Promise<Money> {
    const [row] = await snapshot.query<{ fees: string }>(ACCRUED_FEES, [
      at.day,
      untilAsTimestamp(at),
      rates.MANAGEMENT_FEE_PERCENT.toString(),
      rates.PERFORMANCE_FEE_PERCENT.toString(),
    ]);
    return Money.of(row?.fees ?? '0');
  }
}
