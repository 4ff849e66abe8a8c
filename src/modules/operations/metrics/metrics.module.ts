import { Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { BusinessMetricsService } from './business-metrics.service.js';
import { LiveModule } from '../../messaging/live/live.module.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsRepository } from './metrics.repository.js';
import { MetricsService, ProcessMetricsService, RequestMetricsListener } from './metrics.service.js';
let nodeMetrics: Registry | undefined;

/**
 * One registry per application; the tests run several applications in one process. The applications share the default
 * metrics of Node, whose observers never end.
 */
function createRegistry(): Registry {
  if (!nodeMetrics) {
    nodeMetrics = new Registry();
    collectDefaultMetrics({ register: nodeMetrics });
  }
  return Registry.merge([nodeMetrics]);
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
