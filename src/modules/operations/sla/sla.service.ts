import { Injectable } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import type { MeasuredUptime } from '../../backoffice/reports/dashboard-stats.service.js';
import { serviceLevelsOf, type Incident, type ServiceLevels } from './domain/service-levels.js';
import { SlaRepository } from './sla.repository.js';

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
