import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { isMonitoring, ServedRequests, type ServedRequest } from '../../http/response/served-requests.js';
import { Job } from '../../jobs/job.decorator.js';
import { realNow } from '../../common/clock.js';
import { bucketOf, emptyHistogram } from './histogram.js';

const MINUTE_MS = 60_000;
const MOST_WAITING = 1440; // minutes of an outage of the database; the oldest go first

interface Minute {
  requests: number;
  failures: number;
  readonly histogram: number[];
}

const ADD = `insert into sla_minute (minute, requests, failures, histogram)
  select to_timestamp(minute * 60), requests, failures, histogram
    from jsonb_to_recordset($1) as counted (minute bigint, requests int, failures int, histogram int[])
   order by minute
  on conflict (minute) do update set
    requests = sla_minute.requests + excluded.requests,
    failures = sla_minute.failures + excluded.failures,
    histogram = (select array_agg(one + other order by place)
                   from unnest(sla_minute.histogram, excluded.histogram) with ordinality as bucket (one, other, place))`;

/**
 * Counts in the process what it serves, and adds it to the minutes in the database. A minute is one of real time: the
 * domain clock can be moved, and a service is not down because somebody did.
 */
@Injectable()
export class RequestMinutes implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('RequestMinutes');
  private waiting = new Map<number, Minute>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: DatabaseClock,
    served: ServedRequests,
  ) {
    served.subscribe((request) => this.count(request));
  }

  /** The start waits for it: the first minute counts as one in which the process runs. */
  async onApplicationBootstrap(): Promise<void> {
    await this.storeOrComplain();
  }

  /** After the last run of the job. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.storeOrComplain();
  }

  @Job({
    name: 'request-minutes',
    purpose: 'Adds the requests that the process has served to the minutes of service levels',
    everySeconds: 10,
  })
  storeNow(): Promise<void> {
    return this.store();
  }

  /** What reached no route, or whose caller did not wait for the answer, says nothing about the service. */
  count(served: ServedRequest, at = realNow()): void {
    const { status, milliseconds, isComplete, route } = served;
    if (!isComplete || isMonitoring(served) || (route === null && status < 500)) return;
    const minute = this.minuteOf(Math.floor(at.getTime() / MINUTE_MS));
    const bucket = bucketOf(milliseconds);
    minute.requests++;
    if (status >= 500) minute.failures++;
    minute.histogram[bucket] = (minute.histogram[bucket] as number) + 1;
  }

  /**
   * Stores what waits, and that the process runs. What could not be stored waits on; that the process ran does not: a
   * minute in which the database was away and nobody asked is one in which the service was not there. While the
   * process's clock is wrong nothing is stored: the minutes are wrong, too.
   */
  async store(now = realNow()): Promise<void> {
    if (!this.clock.isRight) {
      this.waiting.clear();
      return;
    }
    const counted = this.waiting;
    this.waiting = new Map();
    const current = Math.floor(now.getTime() / MINUTE_MS);
    const beat = counted.has(current) ? [] : [{ minute: current, ...emptyMinute() }];
    const rows = [...counted].map(([minute, counts]) => ({ minute, ...counts }));
    try {
      await this.dataSource.query(ADD, [JSON.stringify([...rows, ...beat])]);
    } catch (error) {
      this.keep(counted);
      throw error;
    }
  }

  private async storeOrComplain(): Promise<void> {
    await this.store().catch((error: unknown) =>
      this.log.warn({ msg: 'the requests of the last minutes could not be stored', err: error }),
    );
  }

  private minuteOf(index: number): Minute {
    const known = this.waiting.get(index);
    if (known) return known;
    const minute = emptyMinute();
    this.waiting.set(index, minute);
    return minute;
  }

  private keep(counted: Map<number, Minute>): void {
    for (const [index, { requests, failures, histogram }] of counted) {
      const minute = this.minuteOf(index);
      minute.requests += requests;
      minute.failures += failures;
      histogram.forEach(
        (count, bucket) => (minute.histogram[bucket] = (minute.histogram[bucket] as number) + count),
      );
    }
    const surplus = [...this.waiting.keys()].sort((a, b) => b - a).slice(MOST_WAITING);
    for (const index of surplus) this.waiting.delete(index);
  }
}

function emptyMinute(): Minute {
  return { requests: 0, failures: 0, histogram: emptyHistogram() };
}
