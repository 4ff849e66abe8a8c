import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../../http/auth/route.js';
import { DashboardStatsService } from './dashboard-stats.service.js';
import { DashboardStatsResponse, RevenueResponse } from './dto/dashboard.response.js';
import { RevenueQuery, StatsQuery } from './dto/reports.request.js';
import { toDashboardStatsResponse, toRevenueResponse } from './reports.mapper.js';
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
  async stats(@Query() query: StatsQuery): Promise<DashboardStatsResponse> {
    return toDashboardStatsResponse(await this.dashboardStats.getStats(query.period));
  }

  @Get('revenue')
  @AdminRoute('dashboard:read', {
    summary: 'Revenue of the platform in a period',
    data: RevenueResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async revenue(@Query() query: RevenueQuery): Promise<RevenueResponse> {
    return toRevenueResponse(await this.revenues.getRevenue(query.period, query.breakdown));
  }
}
