import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminRoute } from '../../http/auth/route.js';
import { InvestmentsReport } from './investments-report.service.js';
import { InvestmentsReportView, UsersReportView } from './dto/report.response.js';
import { ReportQuery, UsersReportQuery } from './dto/reports.request.js';
import { UsersReport } from './users-report.service.js';

@ApiTags('Admin: dashboard and reports')
@Controller('api/admin/reports')
export class ReportsController {
  constructor(
    private readonly usersReport: UsersReport,
    private readonly investmentsReport: InvestmentsReport,
  ) {}

  @Get('users')
  @AdminRoute('reports:read', {
    summary: 'New, active and lost users of a period',
    data: UsersReportView,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  users(@Query() query: UsersReportQuery): Promise<UsersReportView> {
    return this.usersReport.of(query);
  }

  @Get('investments')
  @AdminRoute('reports:read', {
    summary: 'Number and value of investments, by strategy and in total',
    data: InvestmentsReportView,
    errors: ['INVALID_DATE_RANGE', 'VALIDATION_ERROR'],
  })
  investments(@Query() query: ReportQuery): Promise<InvestmentsReportView> {
    return this.investmentsReport.of(query);
  }
}
