import { Controller, Get, Query } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import type { EnvelopedResponse, RawResponse } from '../../../http/response/enveloped-response.js';
import { AdminDepositsService } from './admin-deposits.service.js';
import { toAdminDepositPage, toAdminDepositResponse } from './deposits.mapper.js';
import { AdminDepositResponse, AdminDepositSummaryResponse } from './dto/deposit.response.js';
import { AdminDepositsQuery } from './dto/deposits.request.js';

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
    csv: true,
    summaryResponse: AdminDepositSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: AdminDepositsQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<AdminDepositResponse[]> | RawResponse> {
    if (query.format === 'csv')
      return streamCsv({
        fileName: 'deposits.csv',
        model: AdminDepositResponse,
        batches: this.deposits.exportDeposits(query, admin),
        toItem: (row) => toAdminDepositResponse(row, this.config),
      });
    return toAdminDepositPage(await this.deposits.listDeposits(query), query, this.config);
  }
}
