import { Module } from '@nestjs/common';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { ActivityQueries } from './activity.queries.js';
import { AdminDashboardController } from './admin-dashboard.controller.js';
import { DashboardStatsService } from './dashboard-stats.service.js';
import { InvestmentsReportService } from './investments-report.service.js';
import { ReportFold } from './report-fold.js';
import { ReportsController } from './reports.controller.js';
import { RevenueService } from './revenue.service.js';
import { Uptime } from './uptime.js';
import { UsersReportService } from './users-report.service.js';

@Module({
  imports: [StrategiesModule],
  controllers: [AdminDashboardController, ReportsController],
  providers: [
    ActivityQueries,
    DashboardStatsService,
    RevenueService,
    UsersReportService,
    InvestmentsReportService,
    ReportFold,
    Uptime,
  ],
  exports: [Uptime],
})
export class ReportsModule {}
