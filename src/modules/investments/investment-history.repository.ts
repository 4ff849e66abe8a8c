import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../database/snapshots.js';
import { addDays, type Day } from '../../common/days.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import type { Moment } from '../../common/moment.js';

/** What a user's investments in a strategy grew by at the midnight that a day began with. */
export interface DailyGrowth {
  readonly date: Day;
  readonly strategyId: string;
  readonly growth: Money;
}

// Principal and units of each of a user's investments from one of its movements to the next, as entries tell: the
// investment's own row knows only how it stands today. Units stand in the asset UNIT:<strategy>. Parameter 1: user.
const SEGMENTS = `
  with step as (
    select split_part(posted.reference_id, ':', 1) as investment_id, entry.effective_at as since,
           max(account.asset) filter (where kind = 'user.units') as asset,
           min(entry.effective_at) filter (where kind = 'user.units' and amount > 0) as issued_at,
           coalesce(sum(amount) filter (where kind = 'user.units'), 0) as units,
           coalesce(sum(amount) filter (where kind = 'user.invested'), 0) as principal
      from ledger_account as account
      join ledger_entry as entry on entry.account_id = account.id
      join ledger_transaction as posted on posted.id = entry.transaction_id
     where owner_id = $1 and kind in ('user.invested', 'user.units') and posted.reference_type = 'investment'
     group by investment_id, entry.effective_at
  ), segment as materialized (
    select substr(max(asset) over whole, length('UNIT:') + 1) as strategy_id,
           (min(issued_at) over whole at time zone 'UTC')::date as issued_on,
           since, lead(since) over so_far as until,
           sum(units) over so_far as units, sum(principal) over so_far as principal
      from step
    window whole as (partition by investment_id), so_far as (partition by investment_id order by since)
  )`;

// What a segment is worth on a day; the same rule as investment-value.ts has, for what is not pending. Nothing
// grows before the second midnight.
const worth = (nav: string, day: string) => `
  case when ${day} >= issued_on + 2 then round_half_even(units * ${nav}, ${MICRO_SCALE}) else principal end`;

/**
 * What investments grew by at the midnights after one day and up to another, ended since or not, and the first of these
 * midnights at which something grew. Parameters: user, the two days; null for since ever.
 */
export const GROWTH_BETWEEN = `${SEGMENTS}
  select min(price.day) as first, coalesce(sum(${worth('price.nav', 'price.day')} - ${worth('earlier.nav', 'earlier.day')}), 0) as growth
    from segment
    join strategy_nav as price using (strategy_id)
    join strategy_nav as earlier using (strategy_id)
   where ($2::date is null or price.day > $2) and price.day <= $3 and price.day >= issued_on + 2
     and earlier.day = price.day - 1 and units > 0 and since < price.day::timestamp at time zone 'UTC'
     and (segment.until is null or segment.until >= price.day::timestamp at time zone 'UTC')`;

const DAYS_AT_ONCE = 100;

/** What investments were worth at any time in the past. Ask `Navs.today()` before the snapshot is taken. */
@Injectable()
export class InvestmentHistoryRepository {
  /** Growth of what was open at each of the moments, not realised then; one statement, however many they are. */
  async growthAt(snapshot: Snapshot, userId: string, moments: readonly Moment[]): Promise<Money[]> {
    const rows = await snapshot.query<{ growth: string | null }>(
      `${SEGMENTS}
       select (select sum(${worth('price.nav', 'price.day')} - principal)
                 from segment join strategy_nav as price using (strategy_id)
                where price.day = moment.day and units > 0
                  and since < moment.until and (segment.until is null or segment.until >= moment.until)) as growth
         from unnest($2::timestamptz[], $3::date[]) with ordinality as moment(until, day, place)
        order by place`,
      [userId, moments.map(({ until }) => until?.toISOString() ?? 'infinity'), moments.map(({ day }) => day)],
    );
    return rows.map(({ growth }) => Money.of(growth ?? '0'));
  }

  /** What investments grew by at each midnight of some days, in the order of days, many days at once. */
  async *growthByDay(
    snapshot: Snapshot,
    userId: string,
    from: Day,
    to: Day,
  ): AsyncGenerator<DailyGrowth[], void> {
    for (let first = from; first <= to; first = addDays(first, DAYS_AT_ONCE)) {
      const last = addDays(first, DAYS_AT_ONCE - 1);
      const rows = await snapshot.query<Omit<DailyGrowth, 'growth'> & { growth: string }>(
        `${SEGMENTS}
         select price.day as date, strategy_id as "strategyId",
                sum(${worth('price.nav', 'price.day')} - ${worth('earlier.nav', 'earlier.day')}) as growth
           from segment
           join strategy_nav as price using (strategy_id)
           join strategy_nav as earlier using (strategy_id)
          where price.day between $2 and $3 and earlier.day = price.day - 1 and units > 0
            and since < price.day::timestamp at time zone 'UTC'
            and (segment.until is null or segment.until >= price.day::timestamp at time zone 'UTC')
          group by price.day, strategy_id having bool_or(price.day >= issued_on + 2)
          order by price.day, strategy_id`,
        [userId, first, last < to ? last : to],
      );
      if (rows.length > 0) yield rows.map((row) => ({ ...row, growth: Money.of(row.growth) }));
    }
  }
}
