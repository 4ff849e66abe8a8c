import { Controller, Get, Query } from '@nestjs/common';
import { AdminRoute } from '../../../http/auth/route.js';
import { toResponse } from '../../../http/response/to-response.js';
import { DashboardStatsService } from './dashboard-stats.service.js';
import {
  ReportQuery,
  RevenueQuery,
  RevenueReportQuery,
  StatsQuery,
  UsersReportQuery,
} from './dto/reports.request.js';
import {
  DashboardStatsResponse,
  InvestmentsReportResponse,
  RevenueReportResponse,
  RevenueResponse,
  UsersReportResponse,
} from './dto/reports.response.js';
import { ReportsService } from './reports.service.js';

@Controller('api/admin/dashboard')
export class AdminDashboardController {
  constructor(
    private readonly dashboardStats: DashboardStatsService,
    private readonly reports: ReportsService,
  ) {}

  @Get('stats')
  @AdminRoute('dashboard:read', {
    summary: 'Current totals of the platform and the changes of a period',
    data: DashboardStatsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async stats(@Query() query: StatsQuery): Promise<DashboardStatsResponse> {
    return toResponse(DashboardStatsResponse, await this.dashboardStats.getStats(query.period));
  }

  @Get('revenue')
  @AdminRoute('dashboard:read', {
    summary: 'Revenue of the platform in a period',
    data: RevenueResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async revenue(@Query() query: RevenueQuery): Promise<RevenueResponse> {
    return toResponse(RevenueResponse, await this.reports.getRevenue(query.period, query.breakdown));
  }
}

@Controller('api/admin/reports')
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Get('users')
  @AdminRoute('reports:read', {
    operationId: 'getUserReport',
    summary: 'New, active and lost users of a period',
    data: UsersReportResponse,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async users(@Query() query: UsersReportQuery): Promise<UsersReportResponse> {
    return toResponse(UsersReportResponse, await this.reports.getUsersReport(query));
  }

  @Get('investments')
  @AdminRoute('reports:read', {
    operationId: 'getInvestmentReport',
    summary: 'Number and value of investments, by strategy and in total',
    data: InvestmentsReportResponse,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async investments(@Query() query: ReportQuery): Promise<InvestmentsReportResponse> {
    return toResponse(InvestmentsReportResponse, await this.reports.getInvestmentsReport(query));
  }

  @Get('revenue')
  @AdminRoute('reports:read', {
    operationId: 'getRevenueReport',
    summary: 'Revenue of the platform in a range of days',
    data: RevenueReportResponse,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async revenue(@Query() query: RevenueReportQuery): Promise<RevenueReportResponse> {
    return toResponse(RevenueReportResponse, await this.reports.getRevenueOfDays(query, query.breakdown));
  }
}
