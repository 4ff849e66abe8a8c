import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../../database/prepared.js';
import type { Snapshot } from '../../database/snapshots.js';
import { addDays, type Day } from '../../common/days.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../common/money.js';
import type { Moment } from '../../common/moment.js';
import { growthAtMoments, type InvestmentSegment, type PastNav } from './domain/valuation.js';

/** The change of the growth of a user's investments in one strategy at the midnight that begins the day `date`. */
export interface DailyGrowth {
  readonly date: Day;
  readonly strategyId: string;
  readonly growth: Money;
}

// Principal and units of each of a user's investments between two of its ledger movements, from the tables of the module
// ledger, because the row of an investment has only the present state. Partial closings have the reference
// `id:number`. Parameter 1: user id.
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

// The value of a segment on a day, by the rule of domain/valuation.ts for investments that are not pending.
const valueOn = (nav: string, day: string) => `
  case when ${day} >= issued_on + 2 then round_half_even(units * ${nav}, ${MICRO_SCALE}) else principal end`;

// The change of a segment's growth at the midnight that begins `navs.day`, for each day that begins while it is open. Reads
// `strategy_nav` of the module strategies twice: the NAV of the day, and as `earlier` that of the day before.
const DAILY_GROWTH = `${valueOn('navs.nav', 'navs.day')} - ${valueOn('earlier.nav', 'earlier.day')}`;
const FROM_SEGMENTS_BY_DAY = `from segment
    join strategy_nav as navs using (strategy_id)
    join strategy_nav as earlier using (strategy_id)
   where earlier.day = navs.day - 1 and units > 0 and since < navs.day::timestamp at time zone 'UTC'
     and (segment.until is null or segment.until >= navs.day::timestamp at time zone 'UTC')`;

const GROWTH_BETWEEN = prepared(`${SEGMENTS}
  select min(navs.day) as first, coalesce(sum(${DAILY_GROWTH}), 0) as growth
  ${FROM_SEGMENTS_BY_DAY}
     and ($2::date is null or navs.day > $2) and navs.day <= $3 and navs.day >= issued_on + 2`);

// Each of the two columns is a text with one row per line and tabs between the fields: building JSON objects takes three
// times as long as the rest of the statement. Reads `strategy_nav` of the module strategies. Parameter 2: days.
const SEGMENTS_AND_NAVS = prepared(`${SEGMENTS}
  select (select string_agg(concat_ws(E'\\t', strategy_id, issued_on, extract(epoch from since) * 1000,
                                      coalesce(extract(epoch from until) * 1000, 'infinity'),
                                      trunc(units * 1e${UNIT_SCALE}), trunc(principal * 1e${MICRO_SCALE})), E'\\n')
            from segment where units > 0) as segments,
         (select string_agg(concat_ws(E'\\t', strategy_id, day, trunc(nav * 1e${UNIT_SCALE})), E'\\n')
            from strategy_nav
           where day = any($2::date[]) and strategy_id in (select strategy_id from segment)) as navs`);

const DAYS_AT_ONCE = 100;

/** Growth of investments in the past. Callers publish missing NAVs (`publishMissingNavs`) before they open a snapshot. */
@Injectable()
export class InvestmentHistoryRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The sum of the changes of growth at the midnights after the day `after` (null: all midnights) up to the day `to`, of open
   * and ended investments. `first` is the first of these days on which an investment shows growth or a loss.
   */
  async growthBetween(
    userId: string,
    after: Day | null,
    to: Day,
  ): Promise<{ first: Day | null; growth: Money }> {
    const [row] = await this.dataSource.query<[{ first: Day | null; growth: string }]>(GROWTH_BETWEEN, [
      userId,
      after,
      to,
    ]);
    return { first: row.first, growth: Money.of(row.growth) };
  }

  /** Unrealised growth of the investments that were open at each moment. The moments are in the order of time. */
  async growthAt(snapshot: Snapshot, userId: string, moments: readonly Moment[]): Promise<Money[]> {
    const [row] = await snapshot.query<{ segments: string | null; navs: string | null }>(SEGMENTS_AND_NAVS, [
      userId,
      moments.map(({ day }) => day),
    ]);
    return growthAtMoments(linesOf(row?.segments).map(toSegment), linesOf(row?.navs).map(toNav), moments);
  }

  /** The changes of growth at the midnights that begin the days `from` to `to`, in batches of 100 days. */
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
         select navs.day as date, strategy_id as "strategyId", sum(${DAILY_GROWTH}) as growth
         ${FROM_SEGMENTS_BY_DAY}
            and navs.day between $2 and $3
          group by navs.day, strategy_id having bool_or(navs.day >= issued_on + 2)
          order by navs.day, strategy_id`,
        [userId, first, last < to ? last : to],
      );
      if (rows.length > 0) yield rows.map((row) => ({ ...row, growth: Money.of(row.growth) }));
    }
  }
}

/** The fields of each line. */
function linesOf(text: string | null | undefined): string[][] {
  return text ? text.split('\n').map((line) => line.split('\t')) : [];
}

type SegmentFields = [string, Day, string, string, string, string];

function toSegment(fields: string[]): InvestmentSegment {
  const [strategyId, issuedOn, since, until, units, principal] = fields as SegmentFields;
  return {
    strategyId,
    issuedOn,
    since: Number(since),
    until: Number(until),
    units: BigInt(units),
    principal: BigInt(principal),
  };
}

function toNav(fields: string[]): PastNav {
  const [strategyId, day, nav] = fields as [string, Day, string];
  return { strategyId, day, nav: BigInt(nav) };
}
