import type { Language } from '../../../common/message-texts.js';
import { MICRO_SCALE } from '../../../common/money.js';
import type { AppConfig } from '../../../config/app-config.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { toResponse } from '../../../http/response/to-response.js';
import type { Page } from '../../../lists/list-page.js';
import { gasFee } from '../../providers/chain/chain.client.js';
import type { AdminDepositTotals, OwnedDeposit } from './admin-deposits.repository.js';
import type { DepositPage, DepositSums } from './deposit-lists.repository.js';
import { explainDeposit } from './domain/deposit-texts.js';
import { isOpenDeposit } from './domain/deposit.state-machine.js';
import {
  ADDRESS_CURRENCIES,
  BLOCK_SECONDS,
  chainIdOf,
  contractOf,
  minimumDeposit,
  NETWORK_NAMES,
  readerOf,
  requiredConfirmations,
  type Network,
} from './domain/networks.js';
import {
  ChainNetworkStatusResponse,
  DepositAddressResponse,
  DepositClaimResponse,
  DepositResponse,
  WatchedDepositsResponse,
  type AdminDepositResponse,
  type AdminDepositSummaryResponse,
  type DepositStatusResponse,
  type DepositSummaryResponse,
  type NetworkResponse,
} from './dto/deposit.response.js';
import type { AdminDepositsQuery, DepositListQuery } from './dto/deposits.request.js';
import type { Deposit, DepositAddress } from './entities/deposit.entity.js';
import type { ChainNetworkState, DepositAvailability, WatchedDeposits } from './networks.service.js';

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

export function toNetworkResponse(network: Network, config: AppConfig): NetworkResponse {
  return {
    id: network,
    name: NETWORK_NAMES[network],
    chainId: chainIdOf(config, network),
    tokens: ADDRESS_CURRENCIES.map((currency) => ({
      currency,
      contractAddress: contractOf(config, network, currency),
    })),
    requiredConfirmations: requiredConfirmations(config, network),
    blockTimeSeconds: BLOCK_SECONDS[network],
    readBy: readerOf(network),
  };
}

export function toChainNetworkStatusResponse(
  state: ChainNetworkState,
  config: AppConfig,
): ChainNetworkStatusResponse {
  const { network, head } = state;
  return toResponse(ChainNetworkStatusResponse, state, {
    id: network,
    chainId: chainIdOf(config, network),
    readBy: readerOf(network),
    blockNumber: head?.blockNumber ?? null,
    blockTime: head?.blockTime ?? null,
    gasPrice: head?.gasPrice ?? null,
  });
}

export function toWatchedDepositsResponse(
  watched: WatchedDeposits,
  config: AppConfig,
): WatchedDepositsResponse {
  return toResponse(WatchedDepositsResponse, watched, {
    network: 'ERC20',
    chainId: config.CHAIN_ID,
    contractAddress: config.USDC_CONTRACT_ADDRESS,
    currency: 'USDC',
    requiredConfirmations: requiredConfirmations(config, 'ERC20'),
  });
}

export function toDepositStatusResponse(
  { isAccepting, networks }: DepositAvailability,
  config: AppConfig,
): DepositStatusResponse {
  return {
    accepting: isAccepting,
    currencies: [...ADDRESS_CURRENCIES],
    networks: networks.map(({ network, status }) => ({
      network,
      requiredConfirmations: requiredConfirmations(config, network),
      minimumDeposit: config.MINIMUM_DEPOSIT.toWire(),
      status,
    })),
  };
}
