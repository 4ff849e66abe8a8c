import { SLA_STATUSES, type SlaStatus } from '../domain/service-levels.js';
import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  NestedField,
  NumberField,
  StringField,
  StringListField,
} from '../../../../http/openapi/fields.js';

/** A period of the service levels, with figures that are consistent with each other as examples. */
interface Period {
  /** Continues a noun, as in "requests of the last 24 hours". */
  readonly phrase: string;
  readonly availability: number;
  readonly measuredMinutes: number;
  readonly uptime: string;
  readonly totalRequests: number;
  readonly failedRequests: number;
}

const OF_LAST_24_HOURS: Period = {
  phrase: 'of the last 24 hours',
  availability: 99.9305,
  measuredMinutes: 1440,
  uptime: '23h 59m 0s',
  totalRequests: 48_210,
  failedRequests: 9,
};
const OF_PERIOD: Period = {
  phrase: 'of the period',
  availability: 99.9976,
  measuredMinutes: 43_200,
  uptime: '29d 23h 59m 0s',
  totalRequests: 1_446_300,
  failedRequests: 270,
};
const ERROR_RATE = 0.0187; // of both periods, rounded up: 9 / 48,210 and 270 / 1,446,300 in percent

const UP =
  'The service counts as up in a minute if at least one process reported the minute and at most half of its requests failed. Minutes before the first reported one are left out.';
const NOT_COUNTED = 'Requests for health, metrics and the API documentation are not counted.';
const FAILED = 'failed: answered with a 5xx status, except 503 for paused withdrawals and pending proofs';

const Availability = ({ phrase, availability: example }: Period) =>
  NumberField({
    nullable: true,
    description: `Percent of the minutes ${phrase} in which the service was up, rounded down to four decimals; null without measured minutes. ${UP}`,
    example,
  });
const MeasuredMinutes = ({ measuredMinutes: example }: Period) =>
  IntegerField({ description: 'Number of minutes that availability is based on.', example });
const Uptime = ({ phrase, uptime: example }: Period) =>
  StringField({ description: `Time ${phrase} in which the service was up, as text.`, example });
const ErrorRate = ({ phrase }: Period) =>
  NumberField({
    nullable: true,
    description: `Percent of the requests ${phrase} that ${FAILED}. Rounded up to four decimals; null without requests. ${NOT_COUNTED}`,
    example: ERROR_RATE,
  });
const TotalRequests = ({ phrase, totalRequests: example }: Period) =>
  IntegerField({
    description: `Requests ${phrase} that matched a route or failed, and whose response was sent completely. ${NOT_COUNTED}`,
    example,
  });
const FailedRequests = ({ phrase, failedRequests: example }: Period) =>
  IntegerField({ description: `Requests ${phrase} that ${FAILED}.`, example });

const EXAMPLE_MS = { 50: 12, 95: 35, 99: 80 } as const;
type Percent = keyof typeof EXAMPLE_MS;
const ResponseTime = (percent: Percent) =>
  StringField({
    nullable: true,
    description: `${percent} percent of the requests ${OF_LAST_24_HOURS.phrase} took no longer; null without requests. Estimated from a histogram; the error is at most 36 percent plus 2 ms. Durations above 31.25 s count as 31.25 s.`,
    example: `${EXAMPLE_MS[percent]}ms`,
  });
const ResponseTimeMs = (percent: Percent) =>
  IntegerField({
    nullable: true,
    description: `The same as responseTimeP${percent}, in milliseconds.`,
    example: EXAMPLE_MS[percent],
  });

const AvailabilityTarget = () =>
  NumberField({ description: 'Minimum availability in percent.', example: 99.9 });
const ErrorRateTarget = () => NumberField({ description: 'Maximum error rate in percent.', example: 0.1 });
const P95Target = () => IntegerField({ description: 'Maximum P95 in milliseconds.', example: 2000 });
const P99Target = () => IntegerField({ description: 'Maximum P99 in milliseconds.', example: 5000 });
const MeetsSla = (description: string) => BooleanField({ nullable: true, description });
const CalculatedAt = () =>
  InstantField({
    description: 'Time of the calculation. Requests of the last ten seconds may be missing.',
  });

export class SlaStatusResponse {
  @EnumField(SLA_STATUSES, {
    description: `healthy: all targets are met; warning: the error rate or a response time misses its target; critical: availability ${OF_LAST_24_HOURS.phrase} is below its target, or the error rate is at least ten times its target; unknown: no request was counted.`,
  })
  status!: SlaStatus;
  @StringListField({
    description: 'One sentence for each missed target.',
    example: ['The error rate is 0.4 percent; the target is at most 0.1 percent.'],
  })
  breaches!: string[];
  @CalculatedAt() timestamp!: string;
  @BooleanField({ description: 'Whether the status is healthy.' }) healthy!: boolean;
}

class SlaPeriodResponse {
  @InstantField() start!: string;
  @InstantField() end!: string;
  @IntegerField({ description: 'Length of the period in days, always 30.', example: 30 })
  durationDays!: number;
}

class SlaSummaryResponse {
  @Availability(OF_PERIOD) availability!: number | null;
  @MeasuredMinutes(OF_PERIOD) measuredMinutes!: number;
  @Uptime(OF_PERIOD) uptime!: string;
  @StringField({
    description: 'Time of the period in which the service was down, as text.',
    example: '1m 0s',
  })
  downtime!: string;
  @ErrorRate(OF_PERIOD) errorRate!: number | null;
  @TotalRequests(OF_PERIOD) totalRequests!: number;
  @FailedRequests(OF_PERIOD) failedRequests!: number;
}

class SlaTargetsResponse {
  @AvailabilityTarget() availability!: number;
  @ErrorRateTarget() maxErrorRate!: number;
  @P95Target() p95ResponseTime!: number;
  @P99Target() p99ResponseTime!: number;
}

class SlaComplianceResponse {
  @BooleanField() availability!: boolean;
  @BooleanField() errorRate!: boolean;
  @BooleanField() responseTimeP95!: boolean;
  @BooleanField() responseTimeP99!: boolean;
  @BooleanField({ description: 'Whether all four targets are met.' }) overallCompliance!: boolean;
}

export class SlaIncidentResponse {
  @InstantField({ description: 'Start of the first minute of the incident.' }) timestamp!: string;
  @StringField({ description: 'Length of the incident, as text.', example: '3m 0s' }) duration!: string;
  @StringField({ example: 'The service was down for 1m 0s; 12 of 40 requests failed.' }) impact!: string;
  @StringListField({ description: 'The missed targets.', example: ['availability', 'errorRate'] })
  affected!: string[];
  @BooleanField({ description: 'Whether the incident is over.' }) resolved!: boolean;
}

export class SlaReportResponse {
  @NestedField(() => SlaPeriodResponse) period!: SlaPeriodResponse;
  @NestedField(() => SlaSummaryResponse) summary!: SlaSummaryResponse;
  @NestedField(() => SlaTargetsResponse) targets!: SlaTargetsResponse;
  @NestedField(() => SlaComplianceResponse, {
    nullable: true,
    description: 'Whether each target is met; null without requests.',
  })
  compliance!: SlaComplianceResponse | null;
  @ListField(() => SlaIncidentResponse, {
    description:
      'The newest 100 incidents, newest first. An incident consists of consecutive minutes in each of which the service was down, or at least 10 requests were counted and the error rate or the P95 missed its target.',
  })
  incidents!: SlaIncidentResponse[];
  @CalculatedAt() timestamp!: string;
}

export class SlaMetricsResponse {
  @Availability(OF_LAST_24_HOURS) availability!: number | null;
  @MeasuredMinutes(OF_LAST_24_HOURS) measuredMinutes!: number;
  @Uptime(OF_LAST_24_HOURS) uptime!: string;
  @ErrorRate(OF_LAST_24_HOURS) errorRate!: number | null;
  @ResponseTime(50) responseTimeP50!: string | null;
  @ResponseTime(95) responseTimeP95!: string | null;
  @ResponseTime(99) responseTimeP99!: string | null;
  @CalculatedAt() timestamp!: string;
}

export class SlaAvailabilityResponse {
  @Availability(OF_LAST_24_HOURS) availability!: number | null;
  @MeasuredMinutes(OF_LAST_24_HOURS) measuredMinutes!: number;
  @Uptime(OF_LAST_24_HOURS) uptime!: string;
  @IntegerField({ description: 'The same as uptime, in seconds.', example: 86_340 }) uptimeSeconds!: number;
  @CalculatedAt() timestamp!: string;
  @AvailabilityTarget() slaTarget!: number;
  @MeetsSla('Whether the availability target is met; null without measured minutes.')
  meetsSLA!: boolean | null;
}

export class SlaResponseTimesResponse {
  @ResponseTime(50) responseTimeP50!: string | null;
  @ResponseTime(95) responseTimeP95!: string | null;
  @ResponseTime(99) responseTimeP99!: string | null;
  @ResponseTimeMs(50) responseTimeP50Ms!: number | null;
  @ResponseTimeMs(95) responseTimeP95Ms!: number | null;
  @ResponseTimeMs(99) responseTimeP99Ms!: number | null;
  @CalculatedAt() timestamp!: string;
  @P95Target() slaTargetP95Ms!: number;
  @P99Target() slaTargetP99Ms!: number;
  @MeetsSla('Whether both targets are met; null without requests.') meetsSLA!: boolean | null;
  @TotalRequests(OF_LAST_24_HOURS) totalRequests!: number;
}

export class SlaErrorRateResponse {
  @ErrorRate(OF_LAST_24_HOURS) errorRate!: number | null;
  @TotalRequests(OF_LAST_24_HOURS) totalRequests!: number;
  @FailedRequests(OF_LAST_24_HOURS) failedRequests!: number;
  @CalculatedAt() timestamp!: string;
  @ErrorRateTarget() slaTarget!: number;
  @MeetsSla('Whether the target of the error rate is met; null without requests.') meetsSLA!: boolean | null;
}
