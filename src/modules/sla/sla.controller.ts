import { Controller, Get } from '@nestjs/common';
import { PublicRoute } from '../../http/auth/route.js';
import { SlaService } from './sla.service.js';
import {
  SlaAvailabilityResponse,
  SlaErrorRateResponse,
  SlaMetricsResponse,
  SlaReportResponse,
  SlaResponseTimesResponse,
  SlaStatusResponse,
} from './dto/sla.response.js';

/** Service levels, for anybody. */
@Controller('api/sla')
export class SlaController {
  constructor(private readonly sla: SlaService) {}

  @Get('status')
  @PublicRoute({ summary: 'Whether the targets of the last 24 hours are met', data: SlaStatusResponse })
  status(): Promise<SlaStatusResponse> {
    return this.sla.status();
  }

  @Get('report')
  @PublicRoute({ summary: 'The last 30 days, with their incidents', data: SlaReportResponse })
  report(): Promise<SlaReportResponse> {
    return this.sla.report();
  }

  @Get('metrics')
  @PublicRoute({
    summary: 'Availability, errors and response times of the last 24 hours',
    data: SlaMetricsResponse,
  })
  metrics(): Promise<SlaMetricsResponse> {
    return this.sla.metrics();
  }

  @Get('availability')
  @PublicRoute({ summary: 'Availability of the last 24 hours', data: SlaAvailabilityResponse })
  availability(): Promise<SlaAvailabilityResponse> {
    return this.sla.availability();
  }

  @Get('response-times')
  @PublicRoute({ summary: 'Response times of the last 24 hours', data: SlaResponseTimesResponse })
  responseTimes(): Promise<SlaResponseTimesResponse> {
    return this.sla.responseTimes();
  }

  @Get('error-rate')
  @PublicRoute({ summary: 'Failed requests of the last 24 hours', data: SlaErrorRateResponse })
  errorRate(): Promise<SlaErrorRateResponse> {
    return this.sla.errorRate();
  }
}
