import { percentile } from './histogram.js';
import type { BadMinutes, Measured } from './sla.queries.js';
import { TARGETS } from './targets.js';

// Figures out of what was measured. Percentages are rounded against the service, to four decimals: 100 means all, 0
// means none. Whether a target is met is decided by the numbers themselves. Pure.

const MINUTE_SECONDS = 60;
const PLACES = 10_000;
/** An error rate so many times the allowed one is critical. */
const CRITICAL_FACTOR = 10;

type Target = 'availability' | 'errorRate' | 'responseTimeP95' | 'responseTimeP99';

/** What follows from minutes is null if none was measured; what follows from requests, if none was counted. */
export interface Figures {
  readonly availability: number | null;
  readonly measuredMinutes: number;
  readonly uptimeSeconds: number;
  readonly downtimeSeconds: number;
  readonly errorRate: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly meets: Record<Target, boolean | null>;
}

export function figuresOf(measured: Measured): Figures {
  const { minutes, minutesUp, requests, failures, histogram } = measured;
  const ofMinutes = <Value>(value: Value) => (minutes === 0 ? null : value);
  const ofRequests = <Value>(value: Value) => (requests === 0 ? null : value);
  const [p50, p95, p99] = [50, 95, 99].map((percent) => percentile(histogram, percent)) as [
    number,
    number,
    number,
  ];
  return {
    availability: ofMinutes(Math.floor((minutesUp * 100 * PLACES) / minutes) / PLACES),
    measuredMinutes: minutes,
    uptimeSeconds: minutesUp * MINUTE_SECONDS,
    downtimeSeconds: (minutes - minutesUp) * MINUTE_SECONDS,
    errorRate: ofRequests(Math.ceil((failures * 100 * PLACES) / requests) / PLACES),
    p50: ofRequests(p50),
    p95: ofRequests(p95),
    p99: ofRequests(p99),
    meets: {
      availability: ofMinutes(minutesUp * 100 >= TARGETS.availability * minutes),
      errorRate: ofRequests(failures * 100 <= TARGETS.maxErrorRate * requests),
      responseTimeP95: ofRequests(p95 <= TARGETS.p95ResponseTime),
      responseTimeP99: ofRequests(p99 <= TARGETS.p99ResponseTime),
    },
  };
}

export const SLA_STATUSES = ['healthy', 'warning', 'critical', 'unknown'] as const;
export type SlaStatus = (typeof SLA_STATUSES)[number];

/**
 * Unknown if no request was counted. Critical is a service that was not there, or failed often; a service that is slow or
 * fails now and then is a warning.
 */
export function statusOf({ meets, errorRate }: Figures): SlaStatus {
  if (errorRate === null) return 'unknown';
  if (!meets.availability || errorRate >= CRITICAL_FACTOR * TARGETS.maxErrorRate) return 'critical';
  return Object.values(meets).every(Boolean) ? 'healthy' : 'warning';
}

/** Whether each target is met, and all of them; null if no request was counted. */
export function complianceOf({ meets, errorRate }: Figures) {
  if (errorRate === null) return null;
  const met = Object.fromEntries(Object.entries(meets).map(([target, isMet]) => [target, isMet === true]));
  return { ...(met as Record<Target, boolean>), overallCompliance: Object.values(met).every(Boolean) };
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
