import { Injectable } from '@nestjs/common';
import { asOfSql } from '../../../lists/list-totals.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { dayOf, type Day } from '../../../common/days.js';
import { DAY_MS } from '../../../common/durations.js';
import type { DayRange } from '../../../http/request/date-range.js';
import { Activity, type ActivityRow, type Figure, FIGURES } from './domain/figures.js';
import { daysWindow, windowOf, withExisting, type Period, type PeriodWindow } from './domain/periods.js';

/** Numbers of users by their open investments in an interval. */
export interface Engagement {
  /** Users with an open investment at some time in the interval. */
  readonly active: number;
  /** Users who were active in the preceding interval and are not in this one. Has no meaning for the first interval. */
  readonly lost: number;
}

/**
 * The rows to read: those of `each` strategy, summed up separately; those of all strategies, summed up `together`; or, with
 * `none`, only those without a strategy, which are fewer and suffice for figures such as users.
 */
type StrategyScope = 'each' | 'together' | 'none';

/** Reads the sums by hour and day (`report-sums.repository.ts`). Reading costs more for more days. */
@Injectable()
export class ReportsRepository {
  /** The window of a period. `all` begins with the first day of the platform. */
  async getWindow(snapshot: Snapshot, period: Period, now: Date): Promise<PeriodWindow> {
    return windowOf(period, now, await findFirstDay(snapshot));
  }

  /** The window of a range of days. */
  async getDaysWindow(snapshot: Snapshot, { from, to }: DayRange): Promise<PeriodWindow> {
    return withExisting(daysWindow(from, to), await findFirstDay(snapshot));
  }

  /** The values of figures at some boundaries, each of which is the beginning of an hour. */
  async getActivity(
    snapshot: Snapshot,
    boundaries: readonly Date[],
    figures: readonly Figure[],
    scope: StrategyScope = 'each',
  ): Promise<Activity> {
    const times = [...new Set(boundaries.map((boundary) => boundary.getTime()))].sort((a, b) => a - b);
    // Days with a boundary inside are read by the hour.
    const splitDays = new Set(
      times.filter((time) => time % DAY_MS !== 0).map((time) => Math.floor(time / DAY_MS) * DAY_MS),
    );
    const rows = await snapshot.query<ActivityRow>(activitySql(figures, scope), [
      textsOf(times),
      textsOf([...splitDays]),
    ]);
    return new Activity(times, rows, scope === 'each');
  }

  /** The engagement of each interval between two successive bounds, all of which are boundaries of `activity`. */
  async findEngagement(
    snapshot: Snapshot,
    activity: Activity,
    bounds: readonly Date[],
  ): Promise<Engagement[]> {
    const rows = await snapshot.query<{ interval: number; joined: number; lost: number }>(ENGAGEMENT, [
      textsOf(bounds),
      bounds[0],
    ]);
    const byInterval = new Map(rows.map((row) => [row.interval, row]));
    return bounds.slice(0, -1).map((bound, index) => {
      const { joined = 0, lost = 0 } = byInterval.get(index + 1) ?? {};
      return { active: activity.countAt(bound, 'holders') + joined, lost };
    });
  }

  /** The time up to which the sums include every change. */
  async getAsOf(snapshot: Snapshot): Promise<Date> {
    const [row] = await snapshot.query<{ asOf: Date }>(`select ${asOfSql('report')} as "asOf"`, []);
    return (row as { asOf: Date }).asOf;
  }
}

/** The first day that has a change of any figure. */
async function findFirstDay(snapshot: Snapshot): Promise<Day | undefined> {
  const [row] = await snapshot.query<{ first: Date | null }>(
    `select min(since) as first from report_rollup where span = 'day'`,
    [],
  );
  return row?.first ? dayOf(row.first) : undefined;
}

// Adds up sums of whole days, and sums of hours for days with a boundary inside.
// Parameters: the boundaries, and the days with a boundary inside, whose sums of whole days `since <> all($2)` leaves out.
function activitySql(figures: readonly Figure[], scope: StrategyScope): string {
  const columns = figures.map((figure) => FIGURES[figure]).join(', ');
  const sums = figures.map((figure) => `sum(${FIGURES[figure]}) as "${figure}"`).join(', ');
  const strategy = scope === 'each' ? 'strategy_id' : "''";
  const condition = scope === 'none' ? "strategy_id = ''" : 'true';
  return `
  select width_bucket(since, $1::timestamptz[]) as "boundariesUpTo", ${strategy} as "strategyId", ${sums}
    from (select since, strategy_id, ${columns} from report_rollup
           where span = 'day' and since <> all($2::timestamptz[]) and ${condition}
          union all
          select since, strategy_id, ${columns}
            from unnest($2::timestamptz[]) as split(day)
            join report_rollup on span = 'hour' and since >= day and since < day + interval '24 hours' and ${condition}) as change
   group by 1, 2`;
}

// A gap is a time in which a user has no open investment. If it began before an interval and ends within it, the user joins the active
// users; if it began in the preceding interval and covers this one, the user is lost. Parameters: the bounds of the intervals, and the
// first bound: gaps that ended before it, and gaps without an end that began before it, are not read. `width_bucket` counts the bounds
// at or before a time, which is the number of its interval.
const ENGAGEMENT = `
  with gap as (
    select width_bucket(ended, $1::timestamptz[]) as ended_in, width_bucket(resumed, $1::timestamptz[]) as resumed_in
      from (select ended, resumed from user_gap where resumed >= $2 and resumed < 'infinity'
            union all
            select ended, resumed from user_gap where resumed = 'infinity' and ended >= $2) as gap
  ), user_change as (
    select resumed_in as "interval", 1 as joined, 0 as lost from gap where ended_in < resumed_in
    union all
    select ended_in + 1, 0, 1 from gap where resumed_in > ended_in + 1
  )
  select "interval", sum(joined)::int as joined, sum(lost)::int as lost from user_change group by "interval"`;

function textsOf(times: readonly (Date | number)[]): string[] {
  return times.map((time) => new Date(time).toISOString());
}
