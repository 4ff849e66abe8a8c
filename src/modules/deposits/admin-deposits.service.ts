import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { ListExportsService } from '../audit/list-exports.service.js';
import {
  AdminDepositsRepository,
  type AdminDepositFilter,
  type AdminDepositPage,
  type AdminDepositTotals,
  type OwnedDeposit,
} from './admin-deposits.repository.js';
import type { AdminDepositsQuery } from './dto/deposits.request.js';

/** The admins' list of the deposits of all users, and its export. */
@Injectable()
export class AdminDepositsService {
  constructor(
    private readonly deposits: AdminDepositsRepository,
    private readonly config: AppConfig,
    private readonly exports: ListExportsService,
  ) {}

  async listDeposits(
    query: AdminDepositsQuery,
  ): Promise<{ rows: OwnedDeposit[]; hasNext: boolean; totals: AdminDepositTotals }> {
    const filter = toFilter(query);
    const page = await this.deposits.findPage(filter);
    return { ...page, totals: await this.deposits.sumDeposits(filter, this.config.USDT_USDC_RATE) };
  }

  /** All deposits that the query selects, in batches. Throws SERVICE_UNAVAILABLE while the admin has another export open. */
  exportDeposits(query: AdminDepositsQuery, admin: AdminPrincipal): AsyncGenerator<OwnedDeposit[], void> {
    const filter = toFilter(query);
    return this.exports.streamList(admin, { list: 'deposits', query: filter }, (snapshot) =>
      this.deposits.streamDeposits(snapshot, filter),
    );
  }
}

function toFilter(query: AdminDepositsQuery): AdminDepositFilter & AdminDepositPage {
  return { ...query, userId: query.userId ?? query.user_id };
}
