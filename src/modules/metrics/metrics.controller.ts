import { Controller, Get, Header, Headers } from '@nestjs/common';
import { Registry } from 'prom-client';
import { PublicRoute } from '../../http/auth/route.js';
import { RawAnswer } from '../../http/response/enveloped-response.js';
import { Metrics } from './metrics.service.js';

@Controller()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @Header('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE)
  @PublicRoute({
    summary: 'Metrics for Prometheus; requires METRICS_TOKEN as the bearer token where it is set',
    bearer: 'metrics',
    rateClass: 'none',
    plainText: true,
    errors: ['TOKEN_MISSING', 'TOKEN_INVALID', 'NOT_FOUND'],
  })
  async page(@Headers('authorization') authorization?: string): Promise<RawAnswer> {
    return new RawAnswer(await this.metrics.page(authorization));
  }
}
