import { percentile } from './histogram.js';
import type { BadMinutes, Measured } from './sla.queries.js';
import { TARGETS } from './targets.js';

// Figures out of what was measured; what nothing measured is null. Percentages are rounded against the service, to four
// decimals: 100 means all, 0 means none. Whether a target is met is decided by the numbers themselves. Pure.

const MINUTE_SECONDS = 60;
const PLACES = 10_000;
/** An error rate so many times the allowed one is critical. */
const CRITICAL_FACTOR = 10;

export interface Figures {
  /** Null without a measured minute. */
  readonly availability: number | null;
  readonly measuredMinutes: number;
  readonly uptimeSeconds: number;
  readonly downtimeSeconds: number;
  /** Null without a request, as all that follows. */
  readonly errorRate: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly meets: Targets<boolean> | Targets<null>;
}

type Targets<T> = Record<'availability' | 'errorRate' | 'responseTimeP95' | 'responseTimeP99', T>;

const UNKNOWN: Targets<null> = {
  availability: null,
  errorRate: null,
  responseTimeP95: null,
  responseTimeP99: null,
};

export function figuresOf(measured: Measured): Figures {
  const { minutes, minutesUp, requests, failures, histogram } = measured;
  const ofMinutes = {
    availability: minutes === 0 ? null : Math.floor((minutesUp * 100 * PLACES) / minutes) / PLACES,
    measuredMinutes: minutes,
    uptimeSeconds: minutesUp * MINUTE_SECONDS,
    downtimeSeconds: (minutes - minutesUp) * MINUTE_SECONDS,
  };
  if (requests === 0)
    return { ...ofMinutes, errorRate: null, p50: null, p95: null, p99: null, meets: UNKNOWN };
  const [p50, p95, p99] = [50, 95, 99].map((percent) => percentile(histogram, percent)) as [
    number,
    number,
    number,
  ];
  return {
    ...ofMinutes,
    errorRate: Math.ceil((failures * 100 * PLACES) / requests) / PLACES,
    p50,
    p95,
    p99,
    meets: {
      availability: minutesUp * 100 >= TARGETS.availability * minutes,
      errorRate: failures * 100 <= TARGETS.maxErrorRate * requests,
      responseTimeP95: p95 <= TARGETS.p95ResponseTime,
      responseTimeP99: p99 <= TARGETS.p99ResponseTime,
    },
  };
}

export const SLA_STATUSES = ['healthy', 'warning', 'critical', 'unknown'] as const;
export type SlaStatus = (typeof SLA_STATUSES)[number];

/**
 * Critical is a service that was not there, or failed often; a service that is slow or fails now and then is a warning.
 * Nothing is known of a service without a request.
 */
export function statusOf({ meets, errorRate }: Figures): SlaStatus {
  if (errorRate === null) return 'unknown';
  if (!meets.availability || errorRate >= CRITICAL_FACTOR * TARGETS.maxErrorRate) return 'critical';
  return Object.values(meets).every(Boolean) ? 'healthy' : 'warning';
}

/** Whether all targets are met; null while nothing is known. */
export function meetsAll({ meets, errorRate }: Figures): boolean | null {
  return errorRate === null ? null : Object.values(meets).every(Boolean);
}

export function breachesOf(figures: Figures): string[] {
  const { meets, availability, errorRate, p95, p99 } = figures;
  if (errorRate === null || p95 === null || p99 === null) return [];
  return [
    ...(meets.availability
      ? []
      : [`Availability is ${availability} percent, the target is ${TARGETS.availability} percent.`]),
    ...(meets.errorRate
      ? []
      : [`The error rate is ${errorRate} percent, at most ${TARGETS.maxErrorRate} percent is the target.`]),
    ...(meets.responseTimeP95 ? [] : [slow('P95', p95, TARGETS.p95ResponseTime)]),
    ...(meets.responseTimeP99 ? [] : [slow('P99', p99, TARGETS.p99ResponseTime)]),
  ];
}

function slow(which: string, milliseconds: number, target: number): string {
  return `The ${which} of response times is ${milliseconds} ms, the target is ${target} ms.`;
}

/** What an incident did to callers, as a sentence. */
export function impactOf({ minutesDown, requests, failures, isSlow }: BadMinutes): string {
  const parts = [
    ...(minutesDown > 0 ? [`the service was down for ${durationText(minutesDown * MINUTE_SECONDS)}`] : []),
    ...(failures > 0 ? [`${failures} of ${requests} requests failed`] : []),
    ...(isSlow ? [`requests took longer than ${TARGETS.p95ResponseTime} ms`] : []),
  ];
  const sentence = parts.join(', ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/** The targets that an incident missed. */
export function affectedBy({ minutesDown, isFailing, isSlow }: BadMinutes): string[] {
  return [
    ...(minutesDown > 0 ? ['availability'] : []),
    ...(isFailing ? ['errorRate'] : []),
    ...(isSlow ? ['responseTimeP95'] : []),
  ];
}

/** `29d 23h 59m 1s`; what is zero at the front is left out. */
export function durationText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return (first < 0 ? parts.slice(-1) : parts.slice(first))
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}
