import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../../../database/prepared.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { addDays, type Day } from '../../../common/days.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../common/money.js';
import type { Moment } from '../../../common/moment.js';
import type { DayRange } from '../../../http/request/date-range.js';
import { growthAtMoments, type InvestmentSegment, type PastNav } from './domain/valuation.js';

/** The growth that a user's investments in one strategy earned in a range of days (DEC-104). */
export interface StrategyGrowth {
  readonly strategyId: string;
  readonly growth: Money;
}

/** The growth of one day. */
export interface DailyGrowth extends StrategyGrowth {
  readonly date: Day;
}

interface GrowthRow {
  /** Position of the range of days, from 1. */
  readonly number: number;
  readonly strategyId: string;
  /** The first day that earned. */
  readonly first: Day;
  readonly growth: string;
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

// The growth that the investments earned on the days of each range, by strategy, by the rule of domain/valuation.ts. A segment earns
// on the days at whose end it is open, beginning with the day after the issue of its units. The growth of its days in a range is the
// difference of two values; the value on the day after the issue is the principal. Reads `strategy_nav` of the module strategies
// twice.
// Parameters 2 and 3: first and last days of the ranges. 4: the first day that has not ended.
const GROWTH_BY_RANGE = prepared(`${SEGMENTS}, earning as (
    select number, strategy_id, issued_on, units, principal,
           greatest(range.first, (since at time zone 'UTC')::date, issued_on + 1) as first,
           least(range.last + 1, coalesce((until at time zone 'UTC')::date, 'infinity'), $4::date) as ended
      from segment, unnest($2::date[], $3::date[]) with ordinality as range (first, last, number)
     where units > 0
  )
  select number::int, strategy_id as "strategyId", min(first) as first,
         sum(round_half_even(units * closing.nav, ${MICRO_SCALE})
             - case when first > issued_on + 1 then round_half_even(units * opening.nav, ${MICRO_SCALE})
                    else principal end) as growth
    from earning
    join strategy_nav as opening using (strategy_id)
    join strategy_nav as closing using (strategy_id)
   where opening.day = first and closing.day = ended and first < ended
   group by number, strategy_id
   order by number, strategy_id`);

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
   * The growth of the days after `after` (null: all days) up to `to`, of open and ended investments. `first` is the first day with
   * growth; null if no day has any.
   */
  async growthBetween(
    userId: string,
    after: Day | null,
    to: Day,
  ): Promise<{ first: Day | null; growth: Money }> {
    const from = after === null ? '-infinity' : addDays(after, 1);
    const rows = await this.dataSource.query<GrowthRow[]>(
      GROWTH_BY_RANGE,
      growthParameters(userId, [{ from, to }], addDays(to, 1)),
    );
    const [first = null] = rows.map((row) => row.first).sort();
    return { first, growth: sumOf(rows) };
  }

  /** The growth that was earned in each range, on its days before `today`. */
  async growthInRanges(
    snapshot: Snapshot,
    userId: string,
    ranges: readonly DayRange[],
    today: Day,
  ): Promise<Money[]> {
    const growth = await this.growthByStrategy(snapshot, userId, ranges, today);
    return growth.map((strategies) => Money.sum(strategies.map((each) => each.growth)));
  }

  /** As `growthInRanges`, for each range by the strategies that earned in it. */
  async growthByStrategy(
    snapshot: Snapshot,
    userId: string,
    ranges: readonly DayRange[],
    today: Day,
  ): Promise<StrategyGrowth[][]> {
    if (ranges.length === 0) return [];
    const rows = await snapshot.query<GrowthRow>(GROWTH_BY_RANGE, growthParameters(userId, ranges, today));
    const growth = ranges.map((): StrategyGrowth[] => []);
    for (const { number, strategyId, growth: earned } of rows)
      growth[number - 1]?.push({ strategyId, growth: Money.of(earned) });
    return growth;
  }

  /** Unrealised growth of the investments that were open at each moment. The moments are in the order of time. */
  async growthAt(snapshot: Snapshot, userId: string, moments: readonly Moment[]): Promise<Money[]> {
    const [row] = await snapshot.query<{ segments: string | null; navs: string | null }>(SEGMENTS_AND_NAVS, [
      userId,
      moments.map(({ day }) => day),
    ]);
    return growthAtMoments(linesOf(row?.segments).map(toSegment), linesOf(row?.navs).map(toNav), moments);
  }

  /** The growth of the days `from` to `to` that have ended before `today`, in batches of 100 days. */
  async *growthByDay(
    snapshot: Snapshot,
    userId: string,
    { from, to }: DayRange,
    today: Day,
  ): AsyncGenerator<DailyGrowth[], void> {
    for (let first = from; first <= to && first < today; first = addDays(first, DAYS_AT_ONCE)) {
      const days = Array.from({ length: DAYS_AT_ONCE }, (_, index) => addDays(first, index)).filter(
        (day) => day <= to,
      );
      const ranges = days.map((day) => ({ from: day, to: day }));
      const rows = await snapshot.query<GrowthRow>(GROWTH_BY_RANGE, growthParameters(userId, ranges, today));
      if (rows.length > 0)
        yield rows.map((row) => ({
          date: row.first,
          strategyId: row.strategyId,
          growth: Money.of(row.growth),
        }));
    }
  }
}

function growthParameters(userId: string, ranges: readonly DayRange[], today: Day): unknown[] {
  return [userId, ranges.map(({ from }) => from), ranges.map(({ to }) => to), today];
}

function sumOf(rows: readonly GrowthRow[]): Money {
  return Money.sum(rows.map(({ growth }) => Money.of(growth)));
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
