import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../../http/auth/route.js';
import { DashboardStatsService } from './dashboard-stats.service.js';
import { DashboardStatsResponse, RevenueResponse } from './dto/dashboard.response.js';
import { RevenueQuery, StatsQuery } from './dto/reports.request.js';
import { RevenueService } from './revenue.service.js';

@ApiTags('Admin: dashboard and reports')
@Controller('api/admin/dashboard')
export class AdminDashboardController {
  constructor(
    private readonly dashboardStats: DashboardStatsService,
    private readonly revenues: RevenueService,
  ) {}

  @Get('stats')
  @AdminRoute('dashboard:read', {
    summary: 'Current totals of the platform and the changes of a period',
    data: DashboardStatsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  stats(@Query() query: StatsQuery): Promise<DashboardStatsResponse> {
    return this.dashboardStats.of(query.period);
  }

  @Get('revenue')
  @AdminRoute('dashboard:read', {
    summary: 'Revenue of the platform in a period',
    data: RevenueResponse,
    errors: ['VALIDATION_ERROR'],
  })
  revenue(@Query() query: RevenueQuery): Promise<RevenueResponse> {
    return this.revenues.of(query.period, query.breakdown);
  }
}
