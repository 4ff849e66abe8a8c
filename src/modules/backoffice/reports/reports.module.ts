import { Module } from '@nestjs/common';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { AdminDashboardController, ReportsController } from './reports.controller.js';
import { DashboardStatsService, UptimeService } from './dashboard-stats.service.js';
import { ReportSumsRepository } from './report-sums.repository.js';
import { ReportsRepository } from './reports.repository.js';
import { StrategyValuesService } from './strategy-values.service.js';
import { TotalsConsumer } from './totals.consumer.js';
import { ReportsService } from './reports.service.js';

@Module({
  imports: [InvestmentsModule, StrategiesModule],
  controllers: [AdminDashboardController, ReportsController],
  providers: [
    DashboardStatsService,
    ReportsService,
    ReportsRepository,
    ReportSumsRepository,
    TotalsConsumer,
    StrategyValuesService,
    UptimeService,
  ],
  exports: [UptimeService],
})
export class ReportsModule {}
