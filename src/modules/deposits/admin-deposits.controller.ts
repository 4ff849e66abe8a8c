import { Controller, Get, Query } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { streamCsv } from '../../http/response/csv-list.js';
import {
  EnvelopedResponse,
  pagedResponse,
  type RawResponse,
} from '../../http/response/enveloped-response.js';
import { toAdminDepositResponse, toAdminDepositSummaryResponse } from './deposits.mapper.js';
import type { OwnedDeposit } from './admin-deposits.repository.js';
import { AdminDepositsService } from './admin-deposits.service.js';
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
    const filter = { ...query, userId: query.userId ?? query.user_id };
    const toItem = (row: OwnedDeposit) => toAdminDepositResponse(row, this.config);
    if (query.format === 'csv') {
      const batches = this.deposits.exportDeposits(filter, admin);
      return streamCsv({ fileName: 'deposits.csv', model: AdminDepositResponse, batches, toItem });
    }
    const { rows, totals } = await this.deposits.listDeposits(filter);
    return pagedResponse(rows.map(toItem), query, totals.total, {
      summary: toAdminDepositSummaryResponse(totals, query.currency ?? 'USDC'),
    });
  }
}
