import type { AppConfig } from '../../../config/app-config.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { MICRO_SCALE } from '../../../common/money.js';
import { isIntoCustody, netOf, SETTLEMENT_NETWORK, type StrategyFlow } from './domain/transfer-plan.js';
import type {
  AdminPartResponse,
  AdminTransactionResponse,
  GeneratedTransfersResponse,
  ListedTransactionResponse,
  StrategyFlowResponse,
  TransactionPageResponse,
} from './dto/admin-transaction.response.js';
import type {
  CreatedRequestsResponse,
  TransactionRequestResponse,
} from './dto/transaction-request.response.js';
import type {
  AdminPart,
  AdminTransactionDetails,
  ListedTransaction,
  TransactionRequestDetails,
  TreasuryRunResult,
} from './treasury.types.js';
import type { PageRequest } from '../../../lists/list-page.js';

export function toListedTransactionResponse(row: ListedTransaction): ListedTransactionResponse {
  return {
    id: row.id,
    userID: row.userId,
    userEmail: row.userEmail,
    type: row.type,
    amount: row.amount.roundHalfEven(MICRO_SCALE).toWire(), // deposits of ether have 18 decimals
    currency: row.currency,
    status: row.status,
    transactionHash: row.txHash,
    blockNumber: row.blockNumber,
    confirmations: row.confirmations,
    createdAt: row.createdAt.toISOString(),
    confirmedAt: row.confirmedAt?.toISOString() ?? null,
    processedAt: row.processedAt?.toISOString() ?? null,
    kind: row.kind,
    balanceChange: row.balanceChange && row.balanceChange.toWire(),
    description: row.description,
  };
}

export function toTransactionPageResponse(
  { rows, ...counted }: Rows<ListedTransaction>,
  request: PageRequest,
): TransactionPageResponse {
  const { hasNext: _, hasPrevious: __, ...pagination } = paginate(request, counted);
  return { transactions: rows.map(toListedTransactionResponse), ...pagination };
}

export function toAdminTransactionResponse(row: AdminTransactionDetails): AdminTransactionResponse {
  return {
    ...toListedTransactionResponse(row),
    fromAddress: row.fromAddress,
    toAddress: row.toAddress,
    gasUsed: row.gasUsed,
    gasPrice: row.gasPrice,
    byAdmins: row.byAdmins && toAdminPartResponse(row.byAdmins),
  };
}

function toAdminPartResponse(part: AdminPart): AdminPartResponse {
  return {
    withdrawalId: part.withdrawalId,
    depositId: part.depositId,
    fromSuspense: part.fromSuspense,
    purpose: part.purpose,
    network: part.network,
    strategyId: part.strategyId,
    createdBy: part.createdBy,
    approvedBy: part.approvedBy,
    confirmedBy: part.confirmedBy,
    rejectedBy: part.rejectedBy,
    rejectedAt: part.rejectedAt?.toISOString() ?? null,
    reason: part.reason,
    chainCheck: part.chainCheck,
    requestId: part.requestId,
  };
}

export function toGeneratedTransfersResponse(run: TreasuryRunResult): GeneratedTransfersResponse {
  return {
    runId: run.id,
    createdAt: run.at.toISOString(),
    strategies: run.flows.map(toStrategyFlowResponse),
    transactions: run.transactions.map(toAdminTransactionResponse),
  };
}

function toStrategyFlowResponse(flow: StrategyFlow): StrategyFlowResponse {
  return {
    strategyId: flow.strategyId,
    invested: flow.invested.toWire(),
    returned: flow.returned.toWire(),
    net: netOf(flow).toWire(),
  };
}

export function toTransactionRequestResponse(
  row: TransactionRequestDetails,
  config: AppConfig,
): TransactionRequestResponse {
  const depositProvider = { name: config.DEPOSIT_PROVIDER_NAME, address: config.DEPOSIT_PROVIDER_ADDRESS };
  const custody = { name: config.CUSTODY_PROVIDER_NAME, address: config.CUSTODY_ADDRESS };
  const [from, to] = isIntoCustody(row.type) ? [depositProvider, custody] : [custody, depositProvider];
  const toAddress = row.network === SETTLEMENT_NETWORK ? to.address : undefined; // configured addresses are on this network
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    amount: row.amount.toWire(),
    currency: row.currency,
    network: row.network,
    from: from.name,
    to: to.name,
    toAddress: toAddress ?? null,
    strategyId: row.strategyId,
    transactionId: row.transactionId,
    requestedBy: row.requestedBy,
    assignedTo: row.assignedTo,
    completedBy: row.completedBy,
    txHash: row.txHash,
    chainCheck: row.chainCheck,
    note: row.note,
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  };
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
