import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MINUTE_MS } from '../../../common/durations.js';
import { BOUNDS_MS, BUCKETS } from './domain/histogram.js';
import { MIN_REQUESTS, TARGETS, type Incident, type Measurements } from './domain/service-levels.js';

const MAX_INCIDENTS = 100;
const RETENTION_DAYS = 90; // three times the period of a report

/** The requests of one minute, with the histogram of their durations. */
export interface MinuteCounts {
  requests: number;
  failures: number;
  readonly histogram: number[];
}

type MeasurementsRow = Pick<Measurements, 'minutesUp' | 'requests' | 'failures' | 'histogram'> & {
  /** The oldest minute of the table, even if it is before the period. */
  oldest: Date | null;
  /** The last minute of the period that has a row. */
  last: Date | null;
};

/** The minutes of real time and the requests that all processes served in them. */
@Injectable()
export class SlaRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The sums over the minutes of the period, without those before the oldest stored minute. Minutes without a row count as
   * down. The last minute of the period counts only if it has a row, since the processes may not have stored it yet.
   */
  async getMeasurements(from: Date, to: Date): Promise<Measurements> {
    const [row] = (await this.dataSource.query(MEASUREMENTS, [firstMinute(from), lastMinute(to)])) as [
      MeasurementsRow,
    ];
    const { oldest, last, ...sums } = row;
    const range = oldest && measuredRange(from, to, oldest, last);
    const minutes = range ? (range.to.getTime() - range.from.getTime()) / MINUTE_MS + 1 : 0;
    return { range, minutes, ...sums };
  }

  /** The newest incidents first, at most 100. */
  async findIncidents({ range }: Measurements): Promise<Incident[]> {
    return range ? this.dataSource.query(INCIDENTS, [range.from, range.to]) : [];
  }

  /** Adds the counts to the stored minutes. `minute` is the number of whole minutes since 1970. */
  async addMinutes(minutes: readonly (MinuteCounts & { minute: number })[]): Promise<void> {
    await this.dataSource.query(ADD_MINUTES, [JSON.stringify(minutes)]);
  }

  async deleteOldMinutes(now: Date): Promise<void> {
    await this.dataSource.query(
      'delete from sla_minute where minute < $1::timestamptz - make_interval(days => $2)',
      [now, RETENTION_DAYS],
    );
  }
}

// Of a stored minute: more than half of its requests failed. A minute without requests is up.
const IS_DOWN = 'failures * 2 > requests';
const SUMS = Array.from({ length: BUCKETS }, (_, bucket) => `coalesce(sum(histogram[${bucket + 1}]), 0)`);

const MEASUREMENTS = `
  select (select min(minute) from sla_minute) as oldest, max(minute) as last,
         count(*) filter (where not ${IS_DOWN})::int as "minutesUp",
         coalesce(sum(requests), 0)::float8 as requests, coalesce(sum(failures), 0)::float8 as failures,
         array[${SUMS.join(', ')}]::float8[] as histogram
    from sla_minute where minute >= $1 and minute <= $2`;

// The bucket after the one whose upper bound is the target, as an index of a PostgreSQL array, which begins at one. The P95
// misses the target if more than one request in 20 is in this bucket or a later one.
const FIRST_SLOW_BUCKET = BOUNDS_MS.indexOf(TARGETS.p95ResponseTime) + 2;

// Consecutive minutes have the same `island`, the time less one minute per row: from one of them to the next, the time grows by a
// minute and the row number by one.
const INCIDENTS = `
  with judged as (
    select at, coalesce(requests, 0) as requests, coalesce(failures, 0) as failures,
           minute is null or ${IS_DOWN} as is_down,
           requests >= ${MIN_REQUESTS} and failures * 100.0 > ${TARGETS.maxErrorRate} * requests as is_failing,
           requests >= ${MIN_REQUESTS}
             and (select sum(slow) from unnest(histogram[${FIRST_SLOW_BUCKET}:]) as slow) * 20 > requests as is_slow
      from generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') as at
      left join sla_minute on minute = at
  ), missed as (
    select *, at - row_number() over (order by at) * interval '1 minute' as island
      from judged where is_down or is_failing or is_slow
  )
  select min(at) as "from", count(*)::int as minutes, count(*) filter (where is_down)::int as "minutesDown",
         sum(requests)::float8 as requests, sum(failures)::float8 as failures,
         coalesce(bool_or(is_failing), false) as "isFailing", coalesce(bool_or(is_slow), false) as "isSlow",
         max(at) < $2 as "hasEnded"
    from missed group by island order by 1 desc limit ${MAX_INCIDENTS}`;

// Inserts in the order of minutes, so that processes that add to the same minutes do not deadlock.
const ADD_MINUTES = `insert into sla_minute (minute, requests, failures, histogram)
  select to_timestamp(minute * 60), requests, failures, histogram
    from jsonb_to_recordset($1) as counted (minute bigint, requests int, failures int, histogram int[])
   order by minute
  on conflict (minute) do update set
    requests = sla_minute.requests + excluded.requests,
    failures = sla_minute.failures + excluded.failures,
    histogram = (select array_agg(stored + added order by bucket)
                   from unnest(sla_minute.histogram, excluded.histogram)
                        with ordinality as counts (stored, added, bucket))`;

function measuredRange(from: Date, to: Date, oldest: Date, last: Date | null): Measurements['range'] {
  const start = new Date(Math.max(firstMinute(from).getTime(), oldest.getTime()));
  const current = lastMinute(to).getTime();
  const end = new Date(last?.getTime() === current ? current : current - MINUTE_MS);
  return end < start ? null : { from: start, to: end };
}

/** The first minute that begins in the period. */
function firstMinute(from: Date): Date {
  return new Date(Math.ceil(from.getTime() / MINUTE_MS) * MINUTE_MS);
}

/** The minute of the last instant before `to`. */
function lastMinute(to: Date): Date {
  return new Date(Math.floor((to.getTime() - 1) / MINUTE_MS) * MINUTE_MS);
}
