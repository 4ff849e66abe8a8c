import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../database/snapshots.js';
import { dayOf, DAY_MS, type Day } from '../../common/days.js';
import { Activity, FIGURES, type ActivityRow, type Figure } from './activity.js';
import { windowOf, type Period, type Window } from './periods.js';

/** Users who had an open investment at some time between two boundaries. */
export interface Engagement {
  readonly active: number;
  /** How many of those of the interval before are not among them. */
  readonly lost: number;
}

/** Of each strategy, of all together, or only what belongs to none, as people do: fewer rows are read for it. */
type StrategyScope = 'each' | 'together' | 'none';

// Days as far as no boundary lies within them, else their hours; and what is not folded yet.
function activityOf(figures: readonly Figure[], strategies: StrategyScope): string {
  const columns = figures.map((figure) => FIGURES[figure]).join(', ');
  const sums = figures.map((figure) => `sum(${FIGURES[figure]}) as "${figure}"`).join(', ');
  const strategy = strategies === 'each' ? 'strategy_id' : "''";
  const chosen = strategies === 'none' ? "strategy_id = ''" : 'true';
  return `
  select width_bucket(since, $1::timestamptz[]) as place, ${strategy} as "strategyId", ${sums}
    from (select since, strategy_id, ${columns} from report_rollup
           where span = 'day' and since <> all($2::timestamptz[]) and ${chosen}
          union all
          select since, strategy_id, ${columns}
            from unnest($2::timestamptz[]) as cut(day)
            join report_rollup on span = 'hour' and since >= day and since < day + interval '24 hours' and ${chosen}
          union all
          select hour, strategy_id, ${columns} from report_delta where ${chosen}) as happened
   group by 1, 2`;
}

// A user who was not there when an interval began is counted by the first gap that ends in it: the one that began
// before it. One of the interval before who is not there in this one has a gap from that one to after this one.
const GAPS = `
  with gap as (
    select width_bucket(ended, $1::timestamptz[]) as ended, width_bucket(resumed, $1::timestamptz[]) as resumed, users
      from (select * from report_gap where resumed >= $2 and resumed < 'infinity'
            union all
            select * from report_gap where resumed = 'infinity' and ended >= $2
            union all
            select * from report_gap_delta) as gap
  ), counted as (
    select resumed as place, users as came, 0 as lost from gap where ended < resumed
    union all
    select ended + 1, 0, users from gap where resumed > ended + 1
  )
  select place, sum(came)::int as came, sum(lost)::int as lost from counted group by place`;

/** What happened on the platform, out of sums by hour and day. Its cost follows the number of days. */
@Injectable()
export class ActivityQueries {
  async window(snapshot: Snapshot, period: Period, now: Date): Promise<Window> {
    return windowOf(period, now, period === 'all' ? await this.firstDay(snapshot) : undefined);
  }

  /** The day on which anything happened first. */
  private async firstDay(snapshot: Snapshot): Promise<Day | undefined> {
    const [row] = await snapshot.query<{ first: Date | null }>(
      `select least((select min(since) from report_rollup where span = 'day'),
                    (select min(hour) from report_delta)) as first`,
      [],
    );
    return row?.first ? dayOf(row.first) : undefined;
  }

  /** What some figures had come to by each of the moments, all of them at the beginning of an hour. */
  async at(
    snapshot: Snapshot,
    moments: readonly Date[],
    figures: readonly Figure[],
    strategies: StrategyScope = 'each',
  ): Promise<Activity> {
    const boundaries = [...new Set(moments.map((moment) => moment.getTime()))].sort((a, b) => a - b);
    const cut = boundaries.filter((time) => time % DAY_MS !== 0);
    const cutDays = new Set(cut.map((time) => Math.floor(time / DAY_MS) * DAY_MS));
    const rows = await snapshot.query<ActivityRow>(activityOf(figures, strategies), [
      texts(boundaries),
      texts([...cutDays]),
    ]);
    return new Activity(boundaries, rows, strategies === 'each');
  }

  /** Who was there in each interval from one moment to the next, in the order of time; `activity` is at all of them. */
  async engagement(snapshot: Snapshot, activity: Activity, moments: readonly Date[]): Promise<Engagement[]> {
    const rows = await snapshot.query<{ place: number; came: number; lost: number }>(GAPS, [
      texts(moments),
      moments[0],
    ]);
    const counted = new Map(rows.map((row) => [row.place, row]));
    return moments.slice(0, -1).map((moment, index) => {
      const { came = 0, lost = 0 } = counted.get(index + 1) ?? {};
      return { active: activity.countBy(moment, 'holders') + came, lost };
    });
  }
}

function texts(times: readonly (Date | number)[]): string[] {
  return times.map((time) => new Date(time).toISOString());
}
