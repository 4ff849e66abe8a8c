import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BOUNDS_MS, BUCKETS } from './histogram.js';
import { LEAST_REQUESTS, TARGETS } from './targets.js';

const MINUTE_MS = 60_000;
const MOST_INCIDENTS = 100;

/** What was measured in a period. */
export interface Measured {
  /** The minutes that are judged, first and last; null while there is none. */
  readonly range: { readonly from: Date; readonly to: Date } | null;
  readonly minutes: number;
  readonly minutesUp: number;
  readonly requests: number;
  readonly failures: number;
  readonly histogram: readonly number[];
}

/** Minutes one after the other that missed a target. */
export interface BadMinutes {
  readonly from: Date;
  readonly minutes: number;
  readonly minutesDown: number;
  readonly requests: number;
  readonly failures: number;
  readonly isFailing: boolean;
  readonly isSlow: boolean;
  readonly isOver: boolean;
}

const IS_DOWN = 'failures * 2 > requests';
const SUMS = Array.from({ length: BUCKETS }, (_, bucket) => `coalesce(sum(histogram[${bucket + 1}]), 0)`);

const MEASURED = `
  select (select min(minute) from sla_minute) as first, max(minute) as last,
         count(*) filter (where not ${IS_DOWN})::int as up,
         coalesce(sum(requests), 0)::float8 as requests, coalesce(sum(failures), 0)::float8 as failures,
         array[${SUMS.join(', ')}]::float8[] as histogram
    from sla_minute where minute >= $1 and minute <= $2`;

const FIRST_SLOW = BOUNDS_MS.indexOf(TARGETS.p95ResponseTime) + 2; // PostgreSQL counts from one

const INCIDENTS = `
  with judged as (
    select at, coalesce(requests, 0) as requests, coalesce(failures, 0) as failures,
           minute is null or ${IS_DOWN} as is_down,
           requests >= ${LEAST_REQUESTS} and failures * 100.0 > ${TARGETS.maxErrorRate} * requests as is_failing,
           requests >= ${LEAST_REQUESTS}
             and (select sum(slow) from unnest(histogram[${FIRST_SLOW}:]) as slow) * 20 > requests as is_slow
      from generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') as at
      left join sla_minute on minute = at
  ), bad as (
    select *, at - row_number() over (order by at) * interval '1 minute' as island
      from judged where is_down or is_failing or is_slow
  )
  select min(at) as "from", count(*)::int as minutes, count(*) filter (where is_down)::int as "minutesDown",
         sum(requests)::float8 as requests, sum(failures)::float8 as failures,
         coalesce(bool_or(is_failing), false) as "isFailing", coalesce(bool_or(is_slow), false) as "isSlow",
         max(at) < $2 as "isOver"
    from bad group by island order by 1 desc limit ${MOST_INCIDENTS}`;

interface MeasuredRow extends Pick<Measured, 'requests' | 'failures' | 'histogram'> {
  first: Date | null;
  last: Date | null;
  up: number;
}

/** Reads the minutes: one statement for the figures of a period, one for its incidents, whatever its length. */
@Injectable()
export class SlaQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** Judged is every minute since the first sample ever; the one that `to` lies in only once somebody was seen in it. */
  async measured(from: Date, to: Date): Promise<Measured> {
    const [row] = (await this.dataSource.query(MEASURED, [firstMinute(from), lastMinute(to)])) as [
      MeasuredRow,
    ];
    const { first, last, up, ...counts } = row;
    const range = first && rangeOf(from, to, first, last);
    const minutes = range ? minutesBetween(range.from, range.to) : 0;
    return { range, minutes, minutesUp: up, ...counts };
  }

  async incidents({ range }: Measured): Promise<BadMinutes[]> {
    return range ? this.dataSource.query(INCIDENTS, [range.from, range.to]) : [];
  }
}

function rangeOf(from: Date, to: Date, first: Date, last: Date | null): Measured['range'] {
  const begin = new Date(Math.max(firstMinute(from).getTime(), first.getTime()));
  const running = lastMinute(to).getTime();
  const end = new Date(last?.getTime() === running ? running : running - MINUTE_MS);
  return end < begin ? null : { from: begin, to: end };
}

function minutesBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / MINUTE_MS + 1;
}

/** The first that begins in the period; the one that `from` cuts is left out. */
function firstMinute(from: Date): Date {
  return new Date(Math.ceil(from.getTime() / MINUTE_MS) * MINUTE_MS);
}

/** The one that the last instant before `to` lies in. */
function lastMinute(to: Date): Date {
  return new Date(Math.floor((to.getTime() - 1) / MINUTE_MS) * MINUTE_MS);
}
