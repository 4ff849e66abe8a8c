import type { AppConfig } from '../../../config/app-config.js';
import type { Language } from '../../../common/message-texts.js';
import { MICRO_SCALE } from '../../../common/money.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { gasFee } from '../../providers/chain/chain.client.js';
import type { DepositPage, DepositSums } from './deposit-lists.repository.js';
import { explainDeposit } from './domain/deposit-texts.js';
import { isOpenDeposit } from './domain/deposit.state-machine.js';
import {
  BLOCK_SECONDS,
  chainIdOf,
  contractOf,
  minimumDeposit,
  requiredConfirmations,
} from './domain/networks.js';
import {
  type AdminDepositResponse,
  type AdminDepositSummaryResponse,
  DepositAddressResponse,
  DepositClaimResponse,
  DepositResponse,
  type DepositSummaryResponse,
} from './dto/deposit.response.js';
import type { AdminDepositsQuery, DepositListQuery } from './dto/deposits.request.js';
import type { DepositAddress } from './entities/deposit-address.entity.js';
import type { Deposit } from './entities/deposit.entity.js';
import type { AdminDepositTotals, OwnedDeposit } from './admin-deposits.repository.js';
import type { Page } from '../../../lists/list-page.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toDepositResponse(
  row: Deposit,
  config: AppConfig,
  language: Language = 'en',
): DepositResponse {
  return toResponse(DepositResponse, row, {
    amount: row.amount.roundDown(MICRO_SCALE),
    chainId: chainIdOf(config, row.network),
    gasFee: gasFee(row),
    metadata: {
      depositAddress: row.toAddress,
      derivationPath: null,
      contractAddress: contractOf(config, row.network, row.currency),
      estimatedCompletionTime: isOpenDeposit(row) ? estimatedCompletion(row) : null,
      ...explainDeposit(row, config.MINIMUM_DEPOSIT, language),
      holdReason: row.holdReason,
    },
  });
}

export function toDepositPage(
  page: DepositPage,
  query: DepositListQuery,
  config: AppConfig,
): EnvelopedResponse<DepositResponse[]> {
  return pagedResponse(
    page.rows.map((row) => toDepositResponse(row, config, row.language)),
    query,
    page,
    { summary: toDepositSummaryResponse(page, query.currency ?? 'USDC') },
  );
}

function toDepositSummaryResponse(
  { completedAmount, pendingAmount }: DepositSums,
  currency: string,
): DepositSummaryResponse {
  return {
    totalDeposited: completedAmount.plus(pendingAmount).toWire(),
    totalCompleted: completedAmount.toWire(),
    totalPending: pendingAmount.toWire(),
    currency,
  };
}

export function toDepositClaimResponse(row: Deposit): DepositClaimResponse {
  return toResponse(DepositClaimResponse, row, {
    fromAddress: row.fromAddress ?? '',
    estimatedCompletionTime: estimatedCompletion(row),
  });
}

/** The time of the last update plus the usual time of the missing confirmations. */
function estimatedCompletion(row: Deposit): string {
  const missing = Math.max(row.requiredConfirmations - row.confirmations, 0);
  return new Date(row.updatedAt.getTime() + missing * BLOCK_SECONDS[row.network] * 1000).toISOString();
}

export async function toDepositAddressResponse(
  row: DepositAddress,
  config: AppConfig,
): Promise<DepositAddressResponse> {
  const { toDataURL } = await import('qrcode');
  return toResponse(DepositAddressResponse, row, {
    chainId: chainIdOf(config, row.network),
    depositProviderName: config.DEPOSIT_PROVIDER_NAME,
    depositProviderAddressId: row.providerAddressId,
    isExternal: true,
    qrCode: await toDataURL(row.address, { margin: 2, scale: 4 }), // takes a few milliseconds: not worth storing
    contractAddress: contractOf(config, row.network, row.currency),
    minimumDeposit: minimumDeposit(config, row.currency),
    estimatedConfirmations: requiredConfirmations(config, row.network),
    memo: null,
    expiresAt: null,
  });
}

export function toAdminDepositResponse(
  { deposit, userEmail }: OwnedDeposit,
  config: AppConfig,
): AdminDepositResponse {
  const response = toDepositResponse(deposit, config);
  const reason = deposit.reason ?? response.metadata.reason; // admins also see the words of the provider
  return { ...response, metadata: { ...response.metadata, reason }, userEmail };
}

export function toAdminDepositPage(
  { rows, totals, ...page }: Page<OwnedDeposit> & { totals: AdminDepositTotals },
  query: AdminDepositsQuery,
  config: AppConfig,
): EnvelopedResponse<AdminDepositResponse[]> {
  return pagedResponse(
    rows.map((row) => toAdminDepositResponse(row, config)),
    query,
    { ...page, ...totals },
    { summary: toAdminDepositSummaryResponse(totals, query.currency ?? 'USDC') },
  );
}

function toAdminDepositSummaryResponse(
  totals: AdminDepositTotals,
  currency: string,
): AdminDepositSummaryResponse {
  return {
    ...toDepositSummaryResponse(totals, currency),
    heldCount: totals.heldCount,
    heldValue: totals.heldAmount.toWire(),
    asOf: totals.asOf.toISOString(),
  };
}
