import { Injectable } from '@nestjs/common';
import { realNow } from '../../common/clock.js';
import { DAY_MS } from '../../common/days.js';
import type { MeasuredUptime } from '../reports/uptime.service.js';
import {
  affectedBy,
  breachesOf,
  complianceOf,
  durationText,
  figuresOf,
  impactOf,
  statusOf,
  type Figures,
} from './figures.js';
import { SlaQueries, type BadMinutes, type Measured } from './sla.queries.js';
import type {
  SlaAvailabilityResponse,
  SlaErrorRateResponse,
  SlaIncidentResponse,
  SlaMetricsResponse,
  SlaReportResponse,
  SlaResponseTimesResponse,
  SlaStatusResponse,
} from './dto/sla.response.js';
import { TARGETS } from './targets.js';

const REPORT_DAYS = 30;

/** How well the service has kept what it promises, by requests really served. Periods are of real time, up to `now`. */
@Injectable()
export class SlaService {
  constructor(private readonly queries: SlaQueries) {}

  async status(now = realNow()): Promise<SlaStatusResponse> {
    const { figures, timestamp } = await this.lastDay(now);
    const status = statusOf(figures);
    return { status, breaches: breachesOf(figures), timestamp, healthy: status === 'healthy' };
  }

  async report(now = realNow()): Promise<SlaReportResponse> {
    const from = new Date(now.getTime() - REPORT_DAYS * DAY_MS);
    const measured = await this.queries.measured(from, now);
    const incidents = await this.queries.incidents(measured);
    const figures = figuresOf(measured);
    return {
      period: { start: from.toISOString(), end: now.toISOString(), durationDays: REPORT_DAYS },
      summary: {
        availability: figures.availability,
        measuredMinutes: figures.measuredMinutes,
        uptime: durationText(figures.uptimeSeconds),
        downtime: durationText(figures.downtimeSeconds),
        errorRate: figures.errorRate,
        totalRequests: measured.requests,
        failedRequests: measured.failures,
      },
      targets: TARGETS,
      compliance: complianceOf(figures),
      incidents: incidents.map(shown),
      timestamp: now.toISOString(),
    };
  }

  async metrics(now = realNow()): Promise<SlaMetricsResponse> {
    const { figures, timestamp } = await this.lastDay(now);
    return {
      availability: figures.availability,
      measuredMinutes: figures.measuredMinutes,
      uptime: durationText(figures.uptimeSeconds),
      errorRate: figures.errorRate,
      ...responseTimes(figures),
      timestamp,
    };
  }

  async availability(now = realNow()): Promise<SlaAvailabilityResponse> {
    const { figures, timestamp } = await this.lastDay(now);
    return {
      availability: figures.availability,
      measuredMinutes: figures.measuredMinutes,
      uptime: durationText(figures.uptimeSeconds),
      uptimeSeconds: figures.uptimeSeconds,
      timestamp,
      slaTarget: TARGETS.availability,
      meetsSLA: figures.meets.availability,
    };
  }

  async responseTimes(now = realNow()): Promise<SlaResponseTimesResponse> {
    const { figures, measured, timestamp } = await this.lastDay(now);
    return {
      ...responseTimes(figures),
      responseTimeP50Ms: figures.p50,
      responseTimeP95Ms: figures.p95,
      responseTimeP99Ms: figures.p99,
      timestamp,
      slaTargetP95Ms: TARGETS.p95ResponseTime,
      slaTargetP99Ms: TARGETS.p99ResponseTime,
      meetsSLA: figures.meets.responseTimeP95 && figures.meets.responseTimeP99, // both are null, or none is
      totalRequests: measured.requests,
    };
  }

  async errorRate(now = realNow()): Promise<SlaErrorRateResponse> {
    const { figures, measured, timestamp } = await this.lastDay(now);
    return {
      errorRate: figures.errorRate,
      totalRequests: measured.requests,
      failedRequests: measured.failures,
      timestamp,
      slaTarget: TARGETS.maxErrorRate,
      meetsSLA: figures.meets.errorRate,
    };
  }

  /** The availability of a period. */
  async uptime(from: Date, to: Date): Promise<MeasuredUptime> {
    const { availability: percent, measuredMinutes } = figuresOf(await this.queries.measured(from, to));
    return { percent, measuredMinutes };
  }

  private async lastDay(now: Date): Promise<{ measured: Measured; figures: Figures; timestamp: string }> {
    const measured = await this.queries.measured(new Date(now.getTime() - DAY_MS), now);
    return { measured, figures: figuresOf(measured), timestamp: now.toISOString() };
  }
}

function responseTimes({ p50, p95, p99 }: Figures) {
  const text = (milliseconds: number | null) => (milliseconds === null ? null : `${milliseconds}ms`);
  return { responseTimeP50: text(p50), responseTimeP95: text(p95), responseTimeP99: text(p99) };
}

function shown(incident: BadMinutes): SlaIncidentResponse {
  return {
    timestamp: incident.from.toISOString(),
    duration: durationText(incident.minutes * 60),
    impact: impactOf(incident),
    affected: affectedBy(incident),
    resolved: incident.isOver,
  };
}
