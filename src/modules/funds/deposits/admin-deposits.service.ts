import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import {
  AdminDepositsRepository,
  type AdminDepositTotals,
  type OwnedDeposit,
} from './admin-deposits.repository.js';
import type { AdminDepositsQuery } from './dto/deposits.request.js';
import type { Page } from '../../../lists/list-page.js';

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
  ): Promise<Page<OwnedDeposit> & { totals: AdminDepositTotals }> {
    const page = await this.deposits.findPage(query);
    return { ...page, totals: await this.deposits.sumDeposits(query, this.config.USDT_USDC_RATE) };
  }

  /** All deposits that the query selects, in batches. Throws SERVICE_UNAVAILABLE while the admin has another export open. */
  exportDeposits(query: AdminDepositsQuery, admin: AdminPrincipal): AsyncGenerator<OwnedDeposit[], void> {
    return this.exports.streamList(admin, { list: 'deposits', query }, (snapshot) =>
      this.deposits.streamDeposits(snapshot, query),
    );
  }
}
