import { percentile } from './histogram.js';

/** The promised service levels, in percent and milliseconds. */
export const TARGETS = {
  availability: 99.9,
  maxErrorRate: 0.1,
  p95ResponseTime: 2000,
  p99ResponseTime: 5000,
} as const;

/** The error rate and the P95 of a minute with fewer requests are not judged. */
export const MIN_REQUESTS = 10;

export const SLA_STATUSES = ['healthy', 'warning', 'critical', 'unknown'] as const;
export type SlaStatus = (typeof SLA_STATUSES)[number];

// Percentages are rounded to four decimals, against the service: 100 means all and 0 means none. The comparison with the
// targets uses the exact numbers.
const PRECISION = 10_000;
const MINUTE_SECONDS = 60;
/** An error rate this many times the target is critical. */
const CRITICAL_FACTOR = 10;

/** The sums over the minutes of a period. */
export interface Measurements {
  /** The first and the last measured minute; null without any. */
  readonly range: { readonly from: Date; readonly to: Date } | null;
  readonly minutes: number;
  readonly minutesUp: number;
  readonly requests: number;
  readonly failures: number;
  readonly histogram: readonly number[];
}

/** Consecutive minutes that missed a target. */
export interface Incident {
  readonly from: Date;
  readonly minutes: number;
  readonly minutesDown: number;
  readonly requests: number;
  readonly failures: number;
  readonly isFailing: boolean;
  readonly isSlow: boolean;
  readonly isOver: boolean;
}

type Target = 'availability' | 'errorRate' | 'responseTimeP95' | 'responseTimeP99';

/** The availability is null without measured minutes; the error rate and the percentiles are null without requests. */
export interface ServiceLevels {
  readonly availability: number | null;
  readonly measuredMinutes: number;
  readonly uptimeSeconds: number;
  readonly downtimeSeconds: number;
  readonly totalRequests: number;
  readonly failedRequests: number;
  readonly errorRate: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly meets: Record<Target, boolean | null>;
}

export function serviceLevelsOf(measurements: Measurements): ServiceLevels {
  const { minutes, minutesUp, requests, failures, histogram } = measurements;
  const ifMinutes = <Value>(value: Value) => (minutes === 0 ? null : value);
  const ifRequests = <Value>(value: Value) => (requests === 0 ? null : value);
  const [p50, p95, p99] = [50, 95, 99].map((percent) => percentile(histogram, percent)) as [
    number,
    number,
    number,
  ];
  return {
    availability: ifMinutes(Math.floor((minutesUp * 100 * PRECISION) / minutes) / PRECISION),
    measuredMinutes: minutes,
    uptimeSeconds: minutesUp * MINUTE_SECONDS,
    downtimeSeconds: (minutes - minutesUp) * MINUTE_SECONDS,
    totalRequests: requests,
    failedRequests: failures,
    errorRate: ifRequests(Math.ceil((failures * 100 * PRECISION) / requests) / PRECISION),
    p50: ifRequests(p50),
    p95: ifRequests(p95),
    p99: ifRequests(p99),
    meets: {
      availability: ifMinutes(minutesUp * 100 >= TARGETS.availability * minutes),
      errorRate: ifRequests(failures * 100 <= TARGETS.maxErrorRate * requests),
      responseTimeP95: ifRequests(p95 <= TARGETS.p95ResponseTime),
      responseTimeP99: ifRequests(p99 <= TARGETS.p99ResponseTime),
    },
  };
}

/** `unknown` without requests; `critical` if unavailable or failing often; `warning` if another target is missed. */
export function statusOf({ meets, errorRate }: ServiceLevels): SlaStatus {
  if (errorRate === null) return 'unknown';
  if (!meets.availability || errorRate >= CRITICAL_FACTOR * TARGETS.maxErrorRate) return 'critical';
  return Object.values(meets).every(Boolean) ? 'healthy' : 'warning';
}

/** Whether each target is met, and whether all are; null without requests. */
export function complianceOf({ meets, errorRate }: ServiceLevels) {
  if (errorRate === null) return null;
  return {
    availability: meets.availability === true,
    errorRate: meets.errorRate === true,
    responseTimeP95: meets.responseTimeP95 === true,
    responseTimeP99: meets.responseTimeP99 === true,
    overallCompliance: Object.values(meets).every(Boolean),
  };
}

/** The targets that an incident missed. */
export function missedTargets({ minutesDown, isFailing, isSlow }: Incident): Target[] {
  const missed: Target[] = [];
  if (minutesDown > 0) missed.push('availability');
  if (isFailing) missed.push('errorRate');
  if (isSlow) missed.push('responseTimeP95');
  return missed;
}
