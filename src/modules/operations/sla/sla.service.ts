import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { DAY_MS, MINUTE_MS } from '../../../common/durations.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { isMonitoring, ServedRequests, type ServedRequest } from '../../../http/response/served-requests.js';
import { Job } from '../../../jobs/job.decorator.js';
import type { MeasuredUptime } from '../../backoffice/reports/dashboard-stats.service.js';
import { bucketOf, emptyHistogram } from './domain/histogram.js';
import { serviceLevelsOf, type Incident, type ServiceLevels } from './domain/service-levels.js';
import { SlaRepository, type MinuteCounts } from './sla.repository.js';

export const REPORT_DAYS = 30;

export interface SlaPeriod {
  readonly from: Date;
  readonly to: Date;
  readonly levels: ServiceLevels;
}

/** Computes the service levels of periods of real time from the stored minutes. */
@Injectable()
export class SlaService {
  constructor(private readonly sla: SlaRepository) {}

  async getLastDay(now = realNow()): Promise<SlaPeriod> {
    const from = new Date(now.getTime() - DAY_MS);
    return { from, to: now, levels: serviceLevelsOf(await this.sla.getMeasurements(from, now)) };
  }

  async getReport(now = realNow()): Promise<SlaPeriod & { incidents: Incident[] }> {
    const from = new Date(now.getTime() - REPORT_DAYS * DAY_MS);
    const measurements = await this.sla.getMeasurements(from, now);
    const incidents = await this.sla.findIncidents(measurements);
    return { from, to: now, levels: serviceLevelsOf(measurements), incidents };
  }

  async getUptime(from: Date, to: Date): Promise<MeasuredUptime> {
    const { availability, measuredMinutes } = serviceLevelsOf(await this.sla.getMeasurements(from, to));
    return { percent: availability, measuredMinutes };
  }
}

const MAX_UNSTORED_MINUTES = 1440; // during an outage of the database; the oldest are dropped first

/**
 * Counts the requests that this process has served and adds them to the minutes in the database. Uses real time, since moving
 * the domain clock is no downtime.
 */
@Injectable()
export class RequestMinutesJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('RequestMinutes');
  /** The counts that are not stored yet, by the number of their minute since 1970. */
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

  /**
   * Ignores requests for monitoring or the API documentation (`isMonitoring`), requests whose connection closed before the end
   * of the response, requests without a route unless their status is 500 or higher, and refusals of callers without a valid token.
   */
  countRequest(served: ServedRequest, at = realNow()): void {
    const { status, milliseconds, isComplete, isFailure, isAnonymousRefusal, route } = served;
    if (!isComplete || isAnonymousRefusal || isMonitoring(served) || (route === null && status < 500)) return;
    const counts = this.countsOf(minuteOf(at));
    const bucket = bucketOf(milliseconds);
    counts.requests++;
    if (isFailure) counts.failures++;
    counts.histogram[bucket] = (counts.histogram[bucket] as number) + 1;
  }

  /**
   * Stores the counted requests, and a row for the current minute, which marks it as up. If that fails, the requests are
   * stored later, but a row without requests is not: without its database the service was down. While the process's clock is
   * wrong, the requests are dropped, because their minutes are wrong.
   */
  async storeMinutes(now = realNow()): Promise<void> {
    const counted = this.unstored;
    this.unstored = new Map();
    if (!this.databaseClock.isInSync) return;
    const current = minuteOf(now);
    const rows = [...counted].map(([minute, counts]) => ({ minute, ...counts }));
    if (!counted.has(current)) rows.push({ minute: current, ...noCounts() });
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

  private countsOf(minute: number): MinuteCounts {
    const existing = this.unstored.get(minute);
    if (existing) return existing;
    const counts = noCounts();
    this.unstored.set(minute, counts);
    return counts;
  }

  private restore(counted: Map<number, MinuteCounts>): void {
    for (const [minute, { requests, failures, histogram }] of counted) {
      const counts = this.countsOf(minute);
      counts.requests += requests;
      counts.failures += failures;
      for (const [bucket, count] of histogram.entries())
        counts.histogram[bucket] = (counts.histogram[bucket] as number) + count;
    }
    const surplus = [...this.unstored.keys()].sort((a, b) => b - a).slice(MAX_UNSTORED_MINUTES);
    for (const minute of surplus) this.unstored.delete(minute);
  }
}

/** The number of whole minutes since 1970. */
function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MS);
}

function noCounts(): MinuteCounts {
  return { requests: 0, failures: 0, histogram: emptyHistogram() };
}
