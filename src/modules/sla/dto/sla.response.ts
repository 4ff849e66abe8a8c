import { SLA_STATUSES, type SlaStatus } from '../domain/service-levels.js';
import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  Nested,
  Ratio,
  Text,
  TextList,
} from '../../../http/openapi/fields.js';

const LAST_DAY = 'of the last 24 hours';
const UP =
  'A minute is up if a process reported it and at most half of its requests failed. Minutes before the first measured one do not count.';
const availability = (period: string) =>
  Ratio({
    nullable: true,
    description: `Percent of the minutes ${period} that the service was up, rounded down; null without measured minutes. ${UP}`,
    example: 99.9977,
  });
const MeasuredMinutes = () =>
  Count({ description: 'Number of minutes that availability is based on.', example: 1440 });
const uptime = (period: string) =>
  Text({ description: `Minutes ${period} that the service was up.`, example: '29d 23h 59m 0s' });
const errorRate = (period: string) =>
  Ratio({
    nullable: true,
    description: `Percent of the requests ${period} that were answered 5xx, rounded up; null without requests. Health, metrics and documents do not count.`,
    example: 0.02,
  });
const totalRequests = (period: string) =>
  Count({
    description: `Requests ${period} that were answered by a route. Health, metrics and documents do not count.`,
    example: 48210,
  });
const failedRequests = (period: string) =>
  Count({ description: `Requests ${period} that were answered 5xx.`, example: 9 });
const responseTime = (percent: number) =>
  Text({
    nullable: true,
    description: `${percent} percent of the requests ${LAST_DAY} took no longer; null without requests. From merged histograms, exact to the width of a bucket.`,
    example: '35ms',
  });
const responseTimeMs = (percent: number) =>
  Count({
    nullable: true,
    description: `The same as responseTimeP${percent}, in milliseconds.`,
    example: 35,
  });
const MeetsSla = (description: string) => Flag({ nullable: true, description });
const Measured = () =>
  Instant({ description: 'Time of the calculation, in real time. Figures are up to ten seconds old.' });

export class SlaStatusResponse {
  @Choice(SLA_STATUSES, {
    description: `critical: availability ${LAST_DAY} is below its target, or the error rate ten times the allowed one; warning: another target is missed; unknown: no request was counted.`,
  })
  status!: SlaStatus;
  @TextList({
    description: 'The missed targets, a sentence each.',
    example: ['The error rate is 0.4 percent, at most 0.1 percent is the target.'],
  })
  breaches!: string[];
  @Measured() timestamp!: string;
  @Flag({ description: 'Whether the status is healthy.' }) healthy!: boolean;
}

const PERIOD = 'of the period';

class SlaPeriodResponse {
  @Instant() start!: string;
  @Instant() end!: string;
  @Count({ description: 'The report is of the last 30 days.', example: 30 }) durationDays!: number;
}

class SlaSummaryResponse {
  @availability(PERIOD) availability!: number | null;
  @MeasuredMinutes() measuredMinutes!: number;
  @uptime(PERIOD) uptime!: string;
  @Text({ description: 'Minutes of the period that the service was down.', example: '1m 0s' })
  downtime!: string;
  @errorRate(PERIOD) errorRate!: number | null;
  @totalRequests(PERIOD) totalRequests!: number;
  @failedRequests(PERIOD) failedRequests!: number;
}

class SlaTargetsResponse {
  @Ratio({ description: 'Percent, at least.', example: 99.9 }) availability!: number;
  @Ratio({ description: 'Percent, at most.', example: 0.1 }) maxErrorRate!: number;
  @Count({ description: 'Milliseconds.', example: 2000 }) p95ResponseTime!: number;
  @Count({ description: 'Milliseconds.', example: 5000 }) p99ResponseTime!: number;
}

class SlaComplianceResponse {
  @Flag() availability!: boolean;
  @Flag() errorRate!: boolean;
  @Flag() responseTimeP95!: boolean;
  @Flag() responseTimeP99!: boolean;
  @Flag({ description: 'Whether all four targets are met.' }) overallCompliance!: boolean;
}

export class SlaIncidentResponse {
  @Instant({ description: 'Its first minute.' }) timestamp!: string;
  @Text({ description: 'Length of the incident.', example: '3m 0s' }) duration!: string;
  @Text({ example: 'The service was down for 3m 0s, 12 of 40 requests failed.' }) impact!: string;
  @TextList({ description: 'The missed targets.', example: ['availability', 'errorRate'] })
  affected!: string[];
  @Flag({ description: 'Whether the incident is over.' }) resolved!: boolean;
}

export class SlaReportResponse {
  @Nested(() => SlaPeriodResponse) period!: SlaPeriodResponse;
  @Nested(() => SlaSummaryResponse) summary!: SlaSummaryResponse;
  @Nested(() => SlaTargetsResponse) targets!: SlaTargetsResponse;
  @Nested(() => SlaComplianceResponse, { nullable: true, description: 'null without requests' })
  compliance!: SlaComplianceResponse | null;
  @ListOf(() => SlaIncidentResponse, {
    description:
      'Consecutive minutes that were down, or had at least 10 requests and an error rate or a P95 above target. The newest 100, the newest first.',
  })
  incidents!: SlaIncidentResponse[];
  @Measured() timestamp!: string;
}

export class SlaMetricsResponse {
  @availability(LAST_DAY) availability!: number | null;
  @MeasuredMinutes() measuredMinutes!: number;
  @uptime(LAST_DAY) uptime!: string;
  @errorRate(LAST_DAY) errorRate!: number | null;
  @responseTime(50) responseTimeP50!: string | null;
  @responseTime(95) responseTimeP95!: string | null;
  @responseTime(99) responseTimeP99!: string | null;
  @Measured() timestamp!: string;
}

export class SlaAvailabilityResponse {
  @availability(LAST_DAY) availability!: number | null;
  @MeasuredMinutes() measuredMinutes!: number;
  @uptime(LAST_DAY) uptime!: string;
  @Count({ description: 'The same in seconds.', example: 86_340 }) uptimeSeconds!: number;
  @Measured() timestamp!: string;
  @Ratio({ description: 'Percent, at least.', example: 99.9 }) slaTarget!: number;
  @MeetsSla('null without measured minutes') meetsSLA!: boolean | null;
}

export class SlaResponseTimesResponse {
  @responseTime(50) responseTimeP50!: string | null;
  @responseTime(95) responseTimeP95!: string | null;
  @responseTime(99) responseTimeP99!: string | null;
  @responseTimeMs(50) responseTimeP50Ms!: number | null;
  @responseTimeMs(95) responseTimeP95Ms!: number | null;
  @responseTimeMs(99) responseTimeP99Ms!: number | null;
  @Measured() timestamp!: string;
  @Count({ description: 'Milliseconds, at most.', example: 2000 }) slaTargetP95Ms!: number;
  @Count({ description: 'Milliseconds, at most.', example: 5000 }) slaTargetP99Ms!: number;
  @MeetsSla('Whether both targets are met; null without requests.') meetsSLA!: boolean | null;
  @totalRequests(LAST_DAY) totalRequests!: number;
}

export class SlaErrorRateResponse {
  @errorRate(LAST_DAY) errorRate!: number | null;
  @totalRequests(LAST_DAY) totalRequests!: number;
  @failedRequests(LAST_DAY) failedRequests!: number;
  @Measured() timestamp!: string;
  @Ratio({ description: 'Percent, at most.', example: 0.1 }) slaTarget!: number;
  @MeetsSla('null without requests') meetsSLA!: boolean | null;
}
