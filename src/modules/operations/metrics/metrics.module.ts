import { Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { BusinessMetricsService } from './business-metrics.service.js';
import { LiveModule } from '../../messaging/live/live.module.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsRepository } from './metrics.repository.js';
import { MetricsService } from './metrics.service.js';
import { ProcessMetricsService } from './process-metrics.service.js';
import { RequestMetricsListener } from './request-metrics.listener.js';

/** One registry per application, with the default metrics of Node; the tests run several applications in one process. */
function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

@Module({
  imports: [LiveModule],
  controllers: [MetricsController],
  providers: [
    { provide: Registry, useFactory: createRegistry },
    BusinessMetricsService,
    MetricsRepository,
    MetricsService,
    ProcessMetricsService,
    RequestMetricsListener,
  ],
})
export class MetricsModule {}
