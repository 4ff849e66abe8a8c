import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AdminStrategiesController } from './admin-strategies.controller.js';
import { AdminYieldReportsController } from './admin-yield-reports.controller.js';
import { NavPublisher } from './nav-publisher.service.js';
import { NavsService } from './navs.service.js';
import { StrategiesController } from './strategies.controller.js';
import { StrategyReader } from './strategies.queries.js';
import { StrategiesService } from './strategies.service.js';
import { StrategyChangesService } from './strategy-changes.service.js';
import { StrategyHistory } from './strategy-history.service.js';
import { YieldDecisionsService } from './yield-decisions.service.js';
import { YieldReportQueries } from './yield-reports.repository.js';
import { YieldReportsService } from './yield-reports.service.js';

@Module({
  imports: [AuditModule],
  controllers: [StrategiesController, AdminStrategiesController, AdminYieldReportsController],
  providers: [
    StrategiesService,
    StrategyReader,
    StrategyHistory,
    StrategyChangesService,
    NavsService,
    NavPublisher,
    YieldReportsService,
    YieldReportQueries,
    YieldDecisionsService,
  ],
  exports: [StrategiesService, NavsService, YieldReportsService],
})
export class StrategiesModule {}
