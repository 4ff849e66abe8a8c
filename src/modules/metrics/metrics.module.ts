import { Module } from '@nestjs/common';
import { BusinessMetrics } from './business-metrics.js';
import { MetricsRegistry } from './metrics-registry.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsService } from './metrics.service.js';
import { ProcessMetrics } from './process-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import { WatchedRows } from './watched-rows.js';

@Module({
  controllers: [MetricsController],
  providers: [MetricsRegistry, RequestMetrics, ProcessMetrics, BusinessMetrics, WatchedRows, MetricsService],
})
export class MetricsModule {}
