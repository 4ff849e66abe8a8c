import { Controller, Get } from '@nestjs/common';
import { PublicRoute } from '../../http/auth/route.js';
import { Sla } from './sla.service.js';
import {
  SlaAvailabilityView,
  SlaErrorRateView,
  SlaMetricsView,
  SlaReportView,
  SlaResponseTimesView,
  SlaStatusView,
} from './dto/sla.response.js';

/** Service levels, for anybody. */
@Controller('api/sla')
export class SlaController {
  constructor(private readonly sla: Sla) {}

  @Get('status')
  @PublicRoute({ summary: 'Whether the targets of the last 24 hours are met', data: SlaStatusView })
  status(): Promise<SlaStatusView> {
    return this.sla.status();
  }

  @Get('report')
  @PublicRoute({ summary: 'The last 30 days, with their incidents', data: SlaReportView })
  report(): Promise<SlaReportView> {
    return this.sla.report();
  }

  @Get('metrics')
  @PublicRoute({
    summary: 'Availability, errors and response times of the last 24 hours',
    data: SlaMetricsView,
  })
  metrics(): Promise<SlaMetricsView> {
    return this.sla.metrics();
  }

  @Get('availability')
  @PublicRoute({ summary: 'Availability of the last 24 hours', data: SlaAvailabilityView })
  availability(): Promise<SlaAvailabilityView> {
    return this.sla.availability();
  }

  @Get('response-times')
  @PublicRoute({ summary: 'Response times of the last 24 hours', data: SlaResponseTimesView })
  responseTimes(): Promise<SlaResponseTimesView> {
    return this.sla.responseTimes();
  }

  @Get('error-rate')
  @PublicRoute({ summary: 'Failed requests of the last 24 hours', data: SlaErrorRateView })
  errorRate(): Promise<SlaErrorRateView> {
    return this.sla.errorRate();
  }
}
