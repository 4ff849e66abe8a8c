import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DatabaseClock } from '../../database/database-clock.js';
import { isMonitoring, ServedRequests, type ServedRequest } from '../../http/response/served-requests.js';
import { Job } from '../../jobs/job.decorator.js';
import { realNow } from '../../common/clock.js';
import { MINUTE_MS } from '../../common/durations.js';
import { bucketOf, emptyHistogram } from './domain/histogram.js';
import { SlaRepository, type MinuteCounts } from './sla.repository.js';

const MAX_UNSTORED_MINUTES = 1440; // during an outage of the database; the oldest are dropped first

/**
 * Counts the requests that this process has served and adds them to the minutes in the database. Uses real time, since moving
 * the domain clock is no downtime.
 */
@Injectable()
export class RequestMinutesJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('RequestMinutes');
  private unstored = new Map<number, MinuteCounts>();

  constructor(
    private readonly sla: SlaRepository,
    private readonly databaseClock: DatabaseClock,
    served: ServedRequests,
  ) {
    served.subscribe((request) => this.countRequest(request));
  }

  /** Stores the first minute of the process before the start completes. */
  async onApplicationBootstrap(): Promise<void> {
    await this.storeOrWarn();
  }

  /** Runs after the last run of the job. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.storeOrWarn();
  }

  @Job({
    name: 'request-minutes',
    purpose: 'Adds the requests that the process has served to the minutes of service levels',
    everySeconds: 10,
  })
  storeCountedRequests(): Promise<void> {
    return this.storeMinutes();
  }

  @Job({
    name: 'sla-minutes',
    purpose: 'Deletes the minutes of service levels that are older than ninety days',
    everySeconds: 3600,
    exclusive: true,
  })
  deleteOldMinutes(): Promise<void> {
    return this.sla.deleteOldMinutes(realNow());
  }

  /** Ignores requests without a route and those whose client did not wait for the response. */
  countRequest(served: ServedRequest, at = realNow()): void {
    const { status, milliseconds, isComplete, isFailure, route } = served;
    if (!isComplete || isMonitoring(served) || (route === null && status < 500)) return;
    const minute = this.minuteOf(Math.floor(at.getTime() / MINUTE_MS));
    const bucket = bucketOf(milliseconds);
    minute.requests++;
    if (isFailure) minute.failures++;
    minute.histogram[bucket] = (minute.histogram[bucket] as number) + 1;
  }

  /**
   * Stores the counted requests, and a row for the current minute, which marks it as up. If that fails, the requests are kept,
   * but not the empty rows: without its database the service was down. While the process's clock is wrong, it drops the
   * requests, because their minutes are wrong.
   */
  async storeMinutes(now = realNow()): Promise<void> {
    const counted = this.unstored;
    this.unstored = new Map();
    if (!this.databaseClock.isRight) return;
    const current = Math.floor(now.getTime() / MINUTE_MS);
    const rows = [...counted].map(([minute, counts]) => ({ minute, ...counts }));
    if (!counted.has(current)) rows.push({ minute: current, ...emptyMinute() });
    try {
      await this.sla.addMinutes(rows);
    } catch (error) {
      this.restore(counted);
      throw error;
    }
  }

  private async storeOrWarn(): Promise<void> {
    await this.storeMinutes().catch((error: unknown) =>
      this.log.warn({ msg: 'the requests of the last minutes could not be stored', err: error }),
    );
  }

  private minuteOf(index: number): MinuteCounts {
    const existing = this.unstored.get(index);
    if (existing) return existing;
    const minute = emptyMinute();
    this.unstored.set(index, minute);
    return minute;
  }

  private restore(counted: Map<number, MinuteCounts>): void {
    for (const [index, { requests, failures, histogram }] of counted) {
      const minute = this.minuteOf(index);
      minute.requests += requests;
      minute.failures += failures;
      for (const [bucket, count] of histogram.entries())
        minute.histogram[bucket] = (minute.histogram[bucket] as number) + count;
    }
    const surplus = [...this.unstored.keys()].sort((a, b) => b - a).slice(MAX_UNSTORED_MINUTES);
    for (const index of surplus) this.unstored.delete(index);
  }
}

function emptyMinute(): MinuteCounts {
  return { requests: 0, failures: 0, histogram: emptyHistogram() };
}
