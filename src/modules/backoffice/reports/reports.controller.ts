import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../../../http/auth/route.js';
import { DashboardStatsService } from './dashboard-stats.service.js';
import { DashboardStatsResponse, RevenueResponse } from './dto/dashboard.response.js';
import {
  ReportQuery,
  RevenueQuery,
  RevenueReportQuery,
  StatsQuery,
  UsersReportQuery,
} from './dto/reports.request.js';
import {
  toDashboardStatsResponse,
  toInvestmentsReportResponse,
  toRevenueReportResponse,
  toRevenueResponse,
  toUsersReportResponse,
} from './reports.mapper.js';
import { RevenueService } from './revenue.service.js';
import { InvestmentsReportService } from './investments-report.service.js';
import {
  InvestmentsReportResponse,
  RevenueReportResponse,
  UsersReportResponse,
} from './dto/report.response.js';
import { UsersReportService } from './users-report.service.js';

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

@ApiTags('Admin: dashboard and reports')
@Controller('api/admin/reports')
export class ReportsController {
  constructor(
    private readonly usersReport: UsersReportService,
    private readonly investmentsReport: InvestmentsReportService,
    private readonly revenues: RevenueService,
  ) {}

  @Get('users')
  @AdminRoute('reports:read', {
    operationId: 'getUserReport',
    summary: 'New, active and lost users of a period',
    data: UsersReportResponse,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async users(@Query() query: UsersReportQuery): Promise<UsersReportResponse> {
    return toUsersReportResponse(await this.usersReport.getReport(query), query.interval);
  }

  @Get('investments')
  @AdminRoute('reports:read', {
    operationId: 'getInvestmentReport',
    summary: 'Number and value of investments, by strategy and in total',
    data: InvestmentsReportResponse,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async investments(@Query() query: ReportQuery): Promise<InvestmentsReportResponse> {
    return toInvestmentsReportResponse(await this.investmentsReport.getReport(query));
  }

  @Get('revenue')
  @AdminRoute('reports:read', {
    operationId: 'getRevenueReport',
    summary: 'Revenue of the platform in a range of days',
    data: RevenueReportResponse,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async revenue(@Query() query: RevenueReportQuery): Promise<RevenueReportResponse> {
    return toRevenueReportResponse(await this.revenues.getRevenueOfDays(query, query.breakdown));
  }
}
