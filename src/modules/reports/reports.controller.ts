import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../../http/auth/route.js';
import { InvestmentsReportService } from './investments-report.service.js';
import { InvestmentsReportResponse, UsersReportResponse } from './dto/report.response.js';
import { ReportQuery, UsersReportQuery } from './dto/reports.request.js';
import { toInvestmentsReportResponse, toUsersReportResponse } from './reports.mapper.js';
import { UsersReportService } from './users-report.service.js';

@ApiTags('Admin: dashboard and reports')
@Controller('api/admin/reports')
export class ReportsController {
  constructor(
    private readonly usersReport: UsersReportService,
    private readonly investmentsReport: InvestmentsReportService,
  ) {}

  @Get('users')
  @AdminRoute('reports:read', {
    summary: 'New, active and lost users of a period',
    data: UsersReportResponse,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async users(@Query() query: UsersReportQuery): Promise<UsersReportResponse> {
    return toUsersReportResponse(await this.usersReport.getReport(query), query.interval);
  }

  @Get('investments')
  @AdminRoute('reports:read', {
    summary: 'Number and value of investments, by strategy and in total',
    data: InvestmentsReportResponse,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  async investments(@Query() query: ReportQuery): Promise<InvestmentsReportResponse> {
    return toInvestmentsReportResponse(await this.investmentsReport.getReport(query));
  }
}
