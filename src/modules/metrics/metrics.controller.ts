import { Controller, Get, Header, Headers } from '@nestjs/common';
import { Registry } from 'prom-client';
import { PublicRoute } from '../../http/auth/route.js';
import { RawAnswer } from '../../http/envelope/answer.js';
import { Metrics } from './metrics.service.js';

@Controller()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @Header('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE)
  @PublicRoute({
    summary: 'Figures for Prometheus; with METRICS_TOKEN set only for who bears it',
    bearer: 'metrics',
    rateClass: 'none',
    plainText: true,
    errors: ['TOKEN_MISSING', 'TOKEN_INVALID', 'NOT_FOUND'],
  })
  async page(@Headers('authorization') authorization?: string): Promise<RawAnswer> {
    return new RawAnswer(await this.metrics.page(authorization));
  }
}
