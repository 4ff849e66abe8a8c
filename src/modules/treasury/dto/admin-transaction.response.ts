import {
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Text,
  Uuid,
} from '../../../http/openapi/fields.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
import { MICRO_SCALE } from '../../../common/money.js';
import { CHAIN_CHECKS } from '../../blockchain/domain/chain-check.js';
import { GAS_PRICE, GAS_USED } from '../../transactions/dto/chain-transaction.response.js';
import { CHAIN_STATUSES, CHAIN_TYPES } from '../../transactions/domain/chain-view.js';
import type { AdminPart, AdminTransactionDetails, ListedTransaction } from '../admin-transactions.queries.js';
import { TRANSFER_PURPOSES } from '../domain/transaction-request.state-machine.js';
import { netOf, type StrategyFlow } from '../treasury-plan.js';
import type { RunOutcome } from '../treasury-runs.service.js';

/** The chain-data shape for admins: of users' transactions and of those that admins asked for. */
export class ListedTransactionResponse {
  @Uuid()
  id!: string;
  @Uuid({ nullable: true, description: "null of the treasury's transfers" })
  userID!: string | null;
  @Text({ nullable: true, example: 'ann@example.org' })
  userEmail!: string | null;
  @Choice(CHAIN_TYPES)
  type!: string;
  @MoneyText({ description: 'a loss is below zero' })
  amount!: string;
  @Text({ example: 'USDC' })
  currency!: string;
  @Choice(CHAIN_STATUSES)
  status!: string;
  @Text({ nullable: true })
  transactionHash!: string | null;
  @Count({ nullable: true })
  blockNumber!: number | null;
  @Count({ description: 'when the chain was last looked at' })
  confirmations!: number;
  @Instant()
  createdAt!: string;
  @Instant({ nullable: true, description: 'when it was credited, paid out or booked' })
  confirmedAt!: string | null;
  @Instant({
    nullable: true,
    description:
      'when it was seen on chain or taken into processing; of what an admin asked for, when it was approved',
  })
  processedAt!: string | null;
}

function toListedTransactionResponse(row: ListedTransaction): ListedTransactionResponse {
  return {
    id: row.id,
    userID: row.userId,
    userEmail: row.userEmail,
    type: row.type,
    amount: row.amount.roundHalfEven(MICRO_SCALE).toWire(),
    currency: row.currency,
    status: row.status,
    transactionHash: row.txHash,
    blockNumber: row.blockNumber,
    confirmations: row.confirmations,
    createdAt: row.createdAt.toISOString(),
    confirmedAt: row.confirmedAt?.toISOString() ?? null,
    processedAt: row.processedAt?.toISOString() ?? null,
  };
}

export class TransactionPageResponse {
  @ListOf(() => ListedTransactionResponse)
  transactions!: ListedTransactionResponse[];
  @Count({ description: 'transactions that the filter selects, on all pages' })
  total!: number;
  @Count()
  page!: number;
  @Count()
  limit!: number;
  @Count()
  totalPages!: number;
}

export function toTransactionPageResponse(
  { rows, total }: Rows<ListedTransaction>,
  { page, limit }: { page: number; limit: number },
): TransactionPageResponse {
  return {
    transactions: rows.map(toListedTransactionResponse),
    total,
    page,
    limit,
    totalPages: paginate(page, limit, total).totalPages,
  };
}

/** Of what admins asked for. */
export class AdminPartResponse {
  @Uuid({ nullable: true, description: 'of a reversal: the withdrawal that it gives back' })
  withdrawalId!: string | null;
  @Flag({ description: 'a deposit out of the suspense account' })
  fromSuspense!: boolean;
  @Choice(TRANSFER_PURPOSES, {
    nullable: true,
    description: 'of a transfer: sweep and allocate go into custody, deallocate comes back from there',
  })
  purpose!: string | null;
  @Text({ nullable: true, example: 'ERC20', description: 'where the tokens are; null of a reversal' })
  network!: string | null;
  @Text({ nullable: true, example: 'balanced-10' })
  strategyId!: string | null;
  @Text({ example: 'admin@example.com' })
  createdBy!: string;
  @Text({ nullable: true, description: 'another admin than the one who asked' })
  approvedBy!: string | null;
  @Text({ nullable: true })
  confirmedBy!: string | null;
  @Text({ nullable: true })
  rejectedBy!: string | null;
  @Instant({ nullable: true })
  rejectedAt!: string | null;
  @Text({ nullable: true, description: 'why it was rejected' })
  reason!: string | null;
  @Choice(CHAIN_CHECKS, {
    nullable: true,
    description:
      'whether the chain shows a successful USDC transfer of exactly the amount to where it belongs; of a withdrawal ' +
      "only the user's wallets are known, and what went elsewhere stays unverified; null without a hash",
  })
  chainCheck!: string | null;
  @Uuid({ nullable: true, description: 'the transaction request that it is carried out by' })
  requestId!: string | null;
}

export class AdminTransactionResponse extends ListedTransactionResponse {
  @Text()
  description!: string;
  @Text({ nullable: true })
  fromAddress!: string | null;
  @Text({ nullable: true })
  toAddress!: string | null;
  @Text({ nullable: true, description: GAS_USED })
  gasUsed!: string | null;
  @Text({ nullable: true, description: GAS_PRICE })
  gasPrice!: string | null;
  @Nested(() => AdminPartResponse, { nullable: true, description: 'null of what a user did' })
  byAdmins!: AdminPartResponse | null;
}

export function toAdminTransactionResponse(row: AdminTransactionDetails): AdminTransactionResponse {
  return {
    ...toListedTransactionResponse(row),
    description: row.description,
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

export class StrategyFlowResponse {
  @Text({ example: 'balanced-10' })
  strategyId!: string;
  @MoneyText({ description: 'principal that users put in since the last run' })
  invested!: string;
  @MoneyText({ description: 'what users got out since then: principal and growth, less fees' })
  returned!: string;
  @MoneyText({ description: 'invested − returned: allocated when above zero, deallocated when below' })
  net!: string;
}

export class GeneratedTransfersResponse {
  @Uuid()
  runId!: string;
  @Instant()
  createdAt!: string;
  @ListOf(() => StrategyFlowResponse, {
    description: 'strategies with which anything happened since the last run',
  })
  strategies!: StrategyFlowResponse[];
  @ListOf(() => AdminTransactionResponse, { description: 'the transfers that come of it, pending' })
  transactions!: AdminTransactionResponse[];
}

export function toGeneratedTransfersResponse(run: RunOutcome): GeneratedTransfersResponse {
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
