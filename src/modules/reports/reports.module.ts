import { Module } from '@nestjs/common';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { ActivityQueries } from './activity.queries.js';
import { AdminDashboardController } from './admin-dashboard.controller.js';
import { DashboardStats } from './dashboard-stats.service.js';
import { InvestmentsReport } from './investments-report.service.js';
import { ReportFold } from './report-fold.js';
import { ReportsController } from './reports.controller.js';
import { Revenue } from './revenue.service.js';
import { Uptime } from './uptime.js';
import { UsersReport } from './users-report.service.js';

@Module({
  imports: [StrategiesModule],
  controllers: [AdminDashboardController, ReportsController],
  providers: [ActivityQueries, DashboardStats, Revenue, UsersReport, InvestmentsReport, ReportFold, Uptime],
  exports: [Uptime],
})
export class ReportsModule {}
