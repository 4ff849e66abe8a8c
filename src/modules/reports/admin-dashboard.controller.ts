import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../../http/auth/route.js';
import { DashboardStats } from './dashboard-stats.service.js';
import { DashboardStatsView, RevenueView } from './dto/dashboard.response.js';
import { RevenueQuery, StatsQuery } from './dto/reports.request.js';
import { Revenue } from './revenue.service.js';

@ApiTags('Admin: dashboard and reports')
@Controller('api/admin/dashboard')
export class AdminDashboardController {
  constructor(
    private readonly dashboardStats: DashboardStats,
    private readonly revenues: Revenue,
  ) {}

  @Get('stats')
  @AdminRoute('dashboard:read', {
    summary: 'Current totals of the platform and the changes of a period',
    data: DashboardStatsView,
    errors: ['VALIDATION_ERROR'],
  })
  stats(@Query() query: StatsQuery): Promise<DashboardStatsView> {
    return this.dashboardStats.of(query.period);
  }

  @Get('revenue')
  @AdminRoute('dashboard:read', {
    summary: 'Revenue of the platform in a period',
    data: RevenueView,
    errors: ['VALIDATION_ERROR'],
  })
  revenue(@Query() query: RevenueQuery): Promise<RevenueView> {
    return this.revenues.of(query.period, query.breakdown);
  }
}
