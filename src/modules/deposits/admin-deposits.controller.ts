import { Controller, Get, Query } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { AdminRoute } from '../../http/auth/route.js';
import { paginate } from '../../http/request/pagination.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { toAdminDepositResponse, toAdminDepositSummaryResponse } from './admin-deposits.mapper.js';
import { AdminDepositsService } from './admin-deposits.service.js';
import { AdminDepositResponse, AdminDepositSummaryResponse } from './dto/admin-deposit.response.js';
import { AdminDepositsQuery } from './dto/admin-deposits.request.js';

@Controller('api/admin/deposits')
export class AdminDepositsController {
  constructor(
    private readonly deposits: AdminDepositsService,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @AdminRoute('transactions:read', {
    summary: 'Deposits of all users, with a summary of all that the filter selects',
    data: [AdminDepositResponse],
    paged: true,
    summaryResponse: AdminDepositSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: AdminDepositsQuery): Promise<EnvelopedResponse<AdminDepositResponse[]>> {
    const filter = { ...query, userId: query.userId ?? query.user_id };
    const { rows, totals } = await this.deposits.listDeposits(filter);
    return new EnvelopedResponse(
      rows.map((row) => toAdminDepositResponse(row, this.config)),
      {
        summary: toAdminDepositSummaryResponse(totals, query.currency ?? 'USDC'),
        pagination: { ...paginate(query.page, query.limit, totals.total) },
      },
    );
  }
}
