import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AdminStrategiesController } from './admin-strategies.controller.js';
import { AdminYieldReportsController } from './admin-yield-reports.controller.js';
import { NavRoll } from './nav-roll.js';
import { Navs } from './navs.service.js';
import { StrategiesController } from './strategies.controller.js';
import { StrategyReader } from './strategies.queries.js';
import { Strategies } from './strategies.service.js';
import { StrategyChanges } from './strategy-changes.service.js';
import { StrategyHistory } from './strategy-history.queries.js';
import { YieldDecisions } from './yield-decisions.service.js';
import { YieldReportQueries } from './yield-report.queries.js';
import { YieldReports } from './yield-reports.service.js';

@Module({
  imports: [AuditModule],
  controllers: [StrategiesController, AdminStrategiesController, AdminYieldReportsController],
  providers: [
    Strategies,
    StrategyReader,
    StrategyHistory,
    StrategyChanges,
    Navs,
    NavRoll,
    YieldReports,
    YieldReportQueries,
    YieldDecisions,
  ],
  exports: [Strategies, Navs, YieldReports],
})
export class StrategiesModule {}
