import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit/audit.module.js';
import { AdminStrategiesController } from './admin-strategies.controller.js';
import { AdminYieldReportsController } from './admin-yield-reports.controller.js';
import { StrategyAccrual } from './entities/strategy-accrual.entity.js';
import { StrategyNav } from './entities/strategy-nav.entity.js';
import { Strategy } from './entities/strategy.entity.js';
import { YieldReport } from './entities/yield-report.entity.js';
import { NavPublishingService } from './nav-publishing.service.js';
import { NavsRepository } from './navs.repository.js';
import { NavsService } from './navs.service.js';
import { StrategiesController } from './strategies.controller.js';
import { StrategiesRepository } from './strategies.repository.js';
import { StrategiesService } from './strategies.service.js';
import { StrategyChangesService } from './strategy-changes.service.js';
import { YieldReportsRepository } from './yield-reports.repository.js';
import { YieldAcceptancesService } from './yield-acceptances.service.js';
import { YieldReportsService } from './yield-reports.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Strategy, StrategyNav, StrategyAccrual, YieldReport]), AuditModule],
  controllers: [StrategiesController, AdminStrategiesController, AdminYieldReportsController],
  providers: [
    StrategiesRepository,
    NavsRepository,
    YieldReportsRepository,
    StrategiesService,
    StrategyChangesService,
    NavsService,
    NavPublishingService,
    YieldAcceptancesService,
    YieldReportsService,
  ],
  exports: [StrategiesService, NavsService, YieldReportsService],
})
export class StrategiesModule {}
