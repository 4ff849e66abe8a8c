import { Injectable } from '@nestjs/common';
import { DAYS_A_YEAR } from '../../../common/ratio.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { untilAsTimestamp, type Moment } from '../../../common/moment.js';
import type { Snapshot } from '../../../database/snapshots.js';
import type { FeeRates } from './domain/closing.js';

/** The quotient rounded down at six decimals. The operator `/` would round it half up at other decimals first. */
const micros = (dividend: string, divisor: number) => `div((${dividend}) * 1000000, ${divisor}) * 0.000001`;

// `closingFees` of domain/closing.ts, summed over every investment that was open at a moment. A row of `investment` has the present
// state: the parts that were closed after the moment are added to it. The value is the principal until the second midnight after the
// issue. Investments without a day of issue, which wait for approval or were never approved, owe no fees. If the NAV of the day is missing, as in a replica that lags at midnight, the newest earlier one applies. Reads `strategy` and
// `strategy_nav` of the module strategies.
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
    select principal, carried, ${micros('principal * $3::numeric * days', 100 * DAYS_A_YEAR)} as management,
           case when $1::date >= issued_on + 2 then round_half_even(units * nav, ${MICRO_SCALE}) else principal end as value
      from leg left join navs using (strategy_id)
  )
  select coalesce(sum(least(value, management + ${micros('greatest(value - principal, 0) * $4::numeric', 100)} + carried)), 0)::text as fees
    from valued`;

/** Fees that investments owe and that closing will charge. */
@Injectable()
export class AccruedFeesRepository {
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
