import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import {
  AdminDepositsRepository,
  type AdminDepositFilter,
  type AdminDepositPage,
  type AdminDepositTotals,
  type OwnedDeposit,
} from './admin-deposits.repository.js';

/** Admins' reads across the deposits of all users. */
@Injectable()
export class AdminDepositsService {
  constructor(
    private readonly deposits: AdminDepositsRepository,
    private readonly config: AppConfig,
  ) {}

  async listDeposits(
    filter: AdminDepositFilter & AdminDepositPage,
  ): Promise<{ rows: OwnedDeposit[]; totals: AdminDepositTotals }> {
    const rows = await this.deposits.findPage(filter);
    return { rows, totals: await this.deposits.sumDeposits(filter, this.config.USDT_USDC_RATE) };
  }
}
