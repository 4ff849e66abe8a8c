import type { AppConfig } from '../../../config/app-config.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { MICRO_SCALE } from '../../../common/money.js';
import { isIntoCustody, netOf, SETTLEMENT_NETWORK } from './domain/transfer-plan.js';
import {
  AdminTransactionResponse,
  type CreatedRequestsResponse,
  GeneratedTransfersResponse,
  ListedTransactionResponse,
  TransactionPageResponse,
  TransactionRequestResponse,
} from './dto/treasury.response.js';
import type {
  AdminTransactionDetails,
  ListedTransaction,
  TransactionRequestDetails,
  TreasuryRunResult,
} from './treasury.types.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toListedTransactionResponse(row: ListedTransaction): ListedTransactionResponse {
  return toResponse(ListedTransactionResponse, row, chainViewFields(row));
}

function chainViewFields({ userId, amount, txHash }: ListedTransaction) {
  // deposits of ether have 18 decimals
  return { userID: userId, amount: amount.roundHalfEven(MICRO_SCALE), transactionHash: txHash };
}

export function toTransactionPageResponse(
  { rows, ...counted }: Rows<ListedTransaction>,
  request: PageRequest,
): TransactionPageResponse {
  return toResponse(TransactionPageResponse, paginate(request, counted), {
    transactions: rows.map(toListedTransactionResponse),
  });
}

export function toAdminTransactionResponse(row: AdminTransactionDetails): AdminTransactionResponse {
  return toResponse(AdminTransactionResponse, row, chainViewFields(row));
}

export function toGeneratedTransfersResponse(run: TreasuryRunResult): GeneratedTransfersResponse {
  return toResponse(GeneratedTransfersResponse, {
    runId: run.id,
    createdAt: run.at,
    strategies: run.flows.map((flow) => ({ ...flow, net: netOf(flow) })),
    transactions: run.transactions.map(toAdminTransactionResponse),
  });
}

export function toTransactionRequestResponse(
  row: TransactionRequestDetails,
  config: AppConfig,
): TransactionRequestResponse {
  const depositProvider = { name: config.DEPOSIT_PROVIDER_NAME, address: config.DEPOSIT_PROVIDER_ADDRESS };
  const custody = { name: config.CUSTODY_PROVIDER_NAME, address: config.CUSTODY_ADDRESS };
  const [from, to] = isIntoCustody(row.type) ? [depositProvider, custody] : [custody, depositProvider];
  const toAddress = row.network === SETTLEMENT_NETWORK ? to.address : undefined; // configured addresses are on this network
  return toResponse(TransactionRequestResponse, row, {
    from: from.name,
    to: to.name,
    toAddress: toAddress ?? null,
  });
}

export function toTransactionRequestPage(
  { rows, ...count }: Rows<TransactionRequestDetails>,
  query: PageRequest,
  config: AppConfig,
): EnvelopedResponse<TransactionRequestResponse[]> {
  return pagedResponse(
    rows.map((row) => toTransactionRequestResponse(row, config)),
    query,
    count,
  );
}

export function toCreatedRequestsResponse(
  requests: readonly TransactionRequestDetails[],
  config: AppConfig,
): CreatedRequestsResponse {
  return { requests: requests.map((request) => toTransactionRequestResponse(request, config)) };
}
