import { Controller, Get, Header, Headers } from '@nestjs/common';
import { Registry } from 'prom-client';
import { PublicRoute } from '../../../http/auth/route.js';
import { RawResponse } from '../../../http/response/enveloped-response.js';
import { MetricsService } from './metrics.service.js';

@Controller()
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get('metrics')
  @Header('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE)
  @PublicRoute({
    summary: 'Metrics for Prometheus; requires METRICS_TOKEN as the bearer token if it is set',
    bearer: 'metrics',
    rateClass: 'none',
    ignoresQuery: true,
    plainText: true,
    errors: ['TOKEN_MISSING', 'TOKEN_INVALID', 'NOT_FOUND'],
  })
  async page(@Headers('authorization') authorization?: string): Promise<RawResponse> {
    return new RawResponse(await this.metrics.renderPage(authorization));
  }
}
