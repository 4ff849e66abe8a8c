import { Module } from '@nestjs/common';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { AdminDashboardController, ReportsController } from './reports.controller.js';
import { DashboardStatsService } from './dashboard-stats.service.js';
import { InvestmentsReportService } from './investments-report.service.js';
import { ReportSumsRepository } from './report-sums.repository.js';
import { ReportsRepository } from './reports.repository.js';
import { RevenueService } from './revenue.service.js';
import { StrategyValuesService } from './strategy-values.service.js';
import { TotalMarksRepository } from './total-marks.repository.js';
import { TotalsConsumer } from './totals.consumer.js';
import { UptimeService } from './uptime.service.js';
import { UsersReportService } from './users-report.service.js';

@Module({
  imports: [InvestmentsModule, StrategiesModule],
  controllers: [AdminDashboardController, ReportsController],
  providers: [
    DashboardStatsService,
    RevenueService,
    UsersReportService,
    InvestmentsReportService,
    ReportSumsRepository,
    TotalMarksRepository,
    TotalsConsumer,
    ReportsRepository,
    StrategyValuesService,
    UptimeService,
  ],
  exports: [UptimeService],
})
export class ReportsModule {}
