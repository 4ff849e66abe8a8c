import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit/audit.module.js';
import { Strategy, StrategyNav, StrategyAccrual } from './entities/strategy.entity.js';
import { YieldReport } from './entities/yield-report.entity.js';
import { NavPublishingService } from './nav-publishing.service.js';
import { NavsService } from './navs.service.js';
import {
  StrategiesController,
  AdminStrategiesController,
  AdminYieldReportsController,
} from './strategies.controller.js';
import { StrategiesRepository, NavsRepository } from './strategies.repository.js';
import { StrategiesService, StrategyChangesService } from './strategies.service.js';
import { YieldReportsRepository } from './yield-reports.repository.js';
import { YieldReportsService, YieldAcceptancesService } from './yield-reports.service.js';

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
