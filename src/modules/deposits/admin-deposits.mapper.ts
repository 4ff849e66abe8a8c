import type { AppConfig } from '../../config/app-config.js';
import type { AdminDepositTotals, OwnedDeposit } from './admin-deposits.repository.js';
import { toDepositResponse, toDepositSummaryResponse } from './deposits.mapper.js';
import type { AdminDepositResponse, AdminDepositSummaryResponse } from './dto/admin-deposit.response.js';

export function toAdminDepositResponse(
  { deposit, userEmail }: OwnedDeposit,
  config: AppConfig,
): AdminDepositResponse {
  return { ...toDepositResponse(deposit, config), userEmail };
}

export function toAdminDepositSummaryResponse(
  totals: AdminDepositTotals,
  currency: string,
): AdminDepositSummaryResponse {
  return {
    ...toDepositSummaryResponse(totals, currency),
    heldCount: totals.heldCount,
    heldValue: totals.heldAmount.toWire(),
  };
}
