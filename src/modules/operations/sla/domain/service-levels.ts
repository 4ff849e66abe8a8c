import { percentile } from './histogram.js';

// In thousandths, so that the comparisons calculate with whole numbers.
const AVAILABILITY_TARGET = 999;
const ERROR_RATE_TARGET = 1;
const CRITICAL_ERROR_RATE = 10;

/** The promised service levels, in percent and milliseconds. */
export const TARGETS = {
  availability: AVAILABILITY_TARGET / 10,
  maxErrorRate: ERROR_RATE_TARGET / 10,
  p95ResponseTime: 2000,
  p99ResponseTime: 5000,
} as const;

/** The error rate and the P95 of a minute with fewer requests than this do not make it part of an incident. */
export const MIN_REQUESTS = 10;

export const SLA_STATUSES = ['healthy', 'warning', 'critical', 'unknown'] as const;
export type SlaStatus = (typeof SLA_STATUSES)[number];

// Percentages are rounded to four decimals, to the disadvantage of the service: an availability of 100 means that
// every minute was up, an error rate of 0 that no request failed. Comparisons with targets use the numbers before rounding.
const PRECISION = 10_000;
const MINUTE_SECONDS = 60;

/** The sums over the measured minutes of a period. */
export interface Measurements {
  /** The first and the last measured minute; null without any. */
  readonly range: { readonly from: Date; readonly to: Date } | null;
  readonly minutes: number;
  /** Minutes that at least one process has stored and in which at most half of the requests failed. */
  readonly minutesUp: number;
  readonly requests: number;
  readonly failures: number;
  readonly histogram: readonly number[];
}

/** Consecutive minutes that were down, or that had `MIN_REQUESTS` and missed the target of the error rate or of the P95. */
export interface Incident {
  readonly from: Date;
  readonly minutes: number;
  readonly minutesDown: number;
  readonly requests: number;
  readonly failures: number;
  /** At least one minute missed the target of the error rate. */
  readonly isFailing: boolean;
  /** At least one minute missed the target of the P95. */
  readonly isSlow: boolean;
  readonly hasEnded: boolean;
}

type Target = 'availability' | 'errorRate' | 'responseTimeP95' | 'responseTimeP99';

/**
 * The availability, in percent, is null without measured minutes. The error rate, in percent, and the percentiles of the
 * response times, in milliseconds, are null without requests.
 */
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
  const p50 = percentile(histogram, 50);
  const p95 = percentile(histogram, 95);
  const p99 = percentile(histogram, 99);
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
      availability: ifMinutes(minutesUp * 1000 >= AVAILABILITY_TARGET * minutes),
      errorRate: ifRequests(failures * 1000 <= ERROR_RATE_TARGET * requests),
      responseTimeP95: ifRequests(p95 <= TARGETS.p95ResponseTime),
      responseTimeP99: ifRequests(p99 <= TARGETS.p99ResponseTime),
    },
  };
}

/**
 * `unknown` without requests; `critical` if the availability misses its target or the error rate is at least ten times its
 * target; `warning` if any other figure misses its target.
 */
export function statusOf({ meets, totalRequests, failedRequests }: ServiceLevels): SlaStatus {
  if (totalRequests === 0) return 'unknown';
  if (!meets.availability || failedRequests * 1000 >= CRITICAL_ERROR_RATE * totalRequests) return 'critical';
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
