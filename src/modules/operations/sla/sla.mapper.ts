import { toResponse } from '../../../http/response/to-response.js';
import {
  complianceOf,
  missedTargets,
  statusOf,
  TARGETS,
  type Incident,
  type ServiceLevels,
} from './domain/service-levels.js';
import {
  SlaAvailabilityResponse,
  SlaErrorRateResponse,
  type SlaIncidentResponse,
  SlaMetricsResponse,
  SlaReportResponse,
  SlaResponseTimesResponse,
  type SlaStatusResponse,
} from './dto/sla.response.js';
import { REPORT_DAYS, type SlaPeriod } from './sla.service.js';

export function toSlaStatusResponse({ levels, to }: SlaPeriod): SlaStatusResponse {
  const status = statusOf(levels);
  const healthy = status === 'healthy';
  return { status, breaches: breachesOf(levels), timestamp: to.toISOString(), healthy };
}

export function toSlaReportResponse(report: SlaPeriod & { incidents: Incident[] }): SlaReportResponse {
  const { from, to, levels, incidents } = report;
  return toResponse(SlaReportResponse, {
    period: { start: from, end: to, durationDays: REPORT_DAYS },
    summary: { ...levels, uptime: uptimeOf(levels), downtime: durationText(levels.downtimeSeconds) },
    targets: TARGETS,
    compliance: complianceOf(levels),
    incidents: incidents.map(toIncidentResponse),
    timestamp: to,
  });
}

export function toSlaMetricsResponse({ levels, to }: SlaPeriod): SlaMetricsResponse {
  return toResponse(SlaMetricsResponse, levels, {
    ...percentileTexts(levels),
    uptime: uptimeOf(levels),
    timestamp: to,
  });
}

export function toSlaAvailabilityResponse({ levels, to }: SlaPeriod): SlaAvailabilityResponse {
  return toResponse(SlaAvailabilityResponse, levels, {
    uptime: uptimeOf(levels),
    timestamp: to,
    slaTarget: TARGETS.availability,
    meetsSLA: levels.meets.availability,
  });
}

export function toSlaResponseTimesResponse({ levels, to }: SlaPeriod): SlaResponseTimesResponse {
  const { p50, p95, p99, meets } = levels;
  return toResponse(SlaResponseTimesResponse, levels, {
    ...percentileTexts(levels),
    responseTimeP50Ms: p50,
    responseTimeP95Ms: p95,
    responseTimeP99Ms: p99,
    timestamp: to,
    slaTargetP95Ms: TARGETS.p95ResponseTime,
    slaTargetP99Ms: TARGETS.p99ResponseTime,
    meetsSLA: meets.responseTimeP95 && meets.responseTimeP99, // null without requests
  });
}

export function toSlaErrorRateResponse({ levels, to }: SlaPeriod): SlaErrorRateResponse {
  return toResponse(SlaErrorRateResponse, levels, {
    timestamp: to,
    slaTarget: TARGETS.maxErrorRate,
    meetsSLA: levels.meets.errorRate,
  });
}

function toIncidentResponse(incident: Incident): SlaIncidentResponse {
  return {
    timestamp: incident.from.toISOString(),
    duration: durationText(incident.minutes * 60),
    impact: impactOf(incident),
    affected: missedTargets(incident),
    resolved: incident.hasEnded,
  };
}

function percentileTexts({ p50, p95, p99 }: ServiceLevels) {
  const text = (milliseconds: number | null) => (milliseconds === null ? null : `${milliseconds}ms`);
  return { responseTimeP50: text(p50), responseTimeP95: text(p95), responseTimeP99: text(p99) };
}

function breachesOf({ meets, availability, errorRate, p95, p99 }: ServiceLevels): string[] {
  if (errorRate === null) return []; // without requests the status is unknown
  const describeSlow = (name: string, milliseconds: number | null, target: number) =>
    `The ${name} of response times is ${milliseconds} ms; the target is at most ${target} ms.`;
  const breaches: string[] = [];
  if (!meets.availability)
    breaches.push(
      `Availability is ${availability} percent; the target is at least ${TARGETS.availability} percent.`,
    );
  if (!meets.errorRate)
    breaches.push(
      `The error rate is ${errorRate} percent; the target is at most ${TARGETS.maxErrorRate} percent.`,
    );
  if (!meets.responseTimeP95) breaches.push(describeSlow('P95', p95, TARGETS.p95ResponseTime));
  if (!meets.responseTimeP99) breaches.push(describeSlow('P99', p99, TARGETS.p99ResponseTime));
  return breaches;
}

function impactOf({ minutesDown, requests, failures, isSlow }: Incident): string {
  const parts: string[] = [];
  if (minutesDown > 0) parts.push(`the service was down for ${durationText(minutesDown * 60)}`);
  if (failures > 0) parts.push(`${failures} of ${requests} requests failed`);
  if (isSlow) parts.push(`requests took longer than ${TARGETS.p95ResponseTime} ms`);
  const sentence = parts.join('; ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function uptimeOf({ uptimeSeconds }: ServiceLevels): string {
  return durationText(uptimeSeconds);
}

/** For example `29d 23h 59m 1s`, without leading zero parts. */
function durationText(seconds: number): string {
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
