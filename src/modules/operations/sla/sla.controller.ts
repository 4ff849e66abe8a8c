import { Controller, Get } from '@nestjs/common';
import { PublicRoute } from '../../../http/auth/route.js';
import {
  SlaAvailabilityResponse,
  SlaErrorRateResponse,
  SlaMetricsResponse,
  SlaReportResponse,
  SlaResponseTimesResponse,
  SlaStatusResponse,
} from './dto/sla.response.js';
import {
  toSlaAvailabilityResponse,
  toSlaErrorRateResponse,
  toSlaMetricsResponse,
  toSlaReportResponse,
  toSlaResponseTimesResponse,
  toSlaStatusResponse,
} from './sla.mapper.js';
import { SlaService } from './sla.service.js';

/** The service levels, readable without signing in. */
@Controller('api/sla')
export class SlaController {
  constructor(private readonly sla: SlaService) {}

  @Get('status')
  @PublicRoute({
    summary: 'Whether the service levels of the last 24 hours meet their targets',
    data: SlaStatusResponse,
  })
  async status(): Promise<SlaStatusResponse> {
    return toSlaStatusResponse(await this.sla.getLastDay());
  }

  @Get('report')
  @PublicRoute({
    summary: 'Service levels of the last 30 days, with their incidents',
    data: SlaReportResponse,
  })
  async report(): Promise<SlaReportResponse> {
    return toSlaReportResponse(await this.sla.getReport());
  }

  @Get('metrics')
  @PublicRoute({
    summary: 'Availability, errors and response times of the last 24 hours',
    data: SlaMetricsResponse,
  })
  async metrics(): Promise<SlaMetricsResponse> {
    return toSlaMetricsResponse(await this.sla.getLastDay());
  }

  @Get('availability')
  @PublicRoute({ summary: 'Availability of the last 24 hours', data: SlaAvailabilityResponse })
  async availability(): Promise<SlaAvailabilityResponse> {
    return toSlaAvailabilityResponse(await this.sla.getLastDay());
  }

  @Get('response-times')
  @PublicRoute({ summary: 'Response times of the last 24 hours', data: SlaResponseTimesResponse })
  async responseTimes(): Promise<SlaResponseTimesResponse> {
    return toSlaResponseTimesResponse(await this.sla.getLastDay());
  }

  @Get('error-rate')
  @PublicRoute({ summary: 'Failed requests of the last 24 hours', data: SlaErrorRateResponse })
  async errorRate(): Promise<SlaErrorRateResponse> {
    return toSlaErrorRateResponse(await this.sla.getLastDay());
  }
}
