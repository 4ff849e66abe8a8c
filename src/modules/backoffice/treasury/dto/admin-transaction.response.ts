import {
  AsOf,
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  NextCursor,
  PageNumberField,
  PreviousCursor,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { CHAIN_CHECKS } from '../../../providers/chain/domain/chain-check.js';
import { CHAIN_TYPE, GAS_PRICE, GAS_USED } from '../../../portfolio/transactions/dto/transaction.response.js';
import { CHAIN_STATUSES, CHAIN_TYPES } from '../../../portfolio/transactions/domain/chain-view.js';
import { TRANSACTION_TYPES } from '../../../portfolio/transactions/domain/transaction.state-machine.js';
import { TRANSFER_PURPOSES } from '../domain/transfer-plan.js';
import { DEPOSIT_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';

const TRANSACTION_KINDS = [...TRANSACTION_TYPES, 'transfer'] as const;

/** A user's transaction, or one that an admin requested. */
export class ListedTransactionResponse {
  @Uuid()
  id!: string;
  @Uuid({ nullable: true, description: 'null for transfers between the providers' })
  userID!: string | null;
  @Text({ nullable: true, example: 'ann@example.org' })
  userEmail!: string | null;
  @Choice(CHAIN_TYPES, { description: CHAIN_TYPE })
  type!: string;
  @MoneyText({ description: 'without sign, except that a loss is an earning below zero' })
  amount!: string;
  @Choice(DEPOSIT_CURRENCIES)
  currency!: string;
  @Choice(CHAIN_STATUSES)
  status!: string;
  @Text({ nullable: true })
  transactionHash!: string | null;
  @Count({
    nullable: true,
    description:
      'of the block that contains the transaction; null until it is in one, and where the chain was not read',
  })
  blockNumber!: number | null;
  @Count({ description: 'at the last lookup on the chain' })
  confirmations!: number;
  @Instant()
  createdAt!: string;
  @Instant({ nullable: true, description: 'time at which it was credited, paid out or booked' })
  confirmedAt!: string | null;
  @Instant({
    nullable: true,
    description:
      'time at which it appeared on chain or an operator took it; of an admin transaction, the time of its approval',
  })
  processedAt!: string | null;
  @Choice(TRANSACTION_KINDS, {
    description: 'of a transaction of a user its type in the ledger view; transfer: between the providers',
  })
  kind!: string;
  @MoneyText({
    nullable: true,
    description:
      "effect on the user's available balance so far, below zero if it was reduced; null for a transaction that admins requested, whose effect is in the user's own record",
  })
  balanceChange!: string | null;
  @Text({ example: 'Fees of Balanced 10%' })
  description!: string;
}

export class TransactionPageResponse {
  @ListOf(() => ListedTransactionResponse)
  transactions!: ListedTransactionResponse[];
  @Count({ description: 'transactions that the filter selects, on all pages' })
  total!: number;
  @PageNumberField() page!: number | null;
  @Count({ description: 'largest number of rows of a page' })
  limit!: number;
  @Count({ description: 'pages with this limit; 0 without rows' })
  totalPages!: number;
  @NextCursor() next!: string | null;
  @PreviousCursor() previous!: string | null;
  @AsOf({ optional: true })
  asOf?: string;
}

/** Fields that only transactions requested by an admin have. */
export class AdminPartResponse {
  @Uuid({
    nullable: true,
    description:
      'of a reversal: the withdrawal whose money it returns; of a withdrawal: the withdrawal whose late or second ' +
      'payment it books',
  })
  withdrawalId!: string | null;
  @Uuid({ nullable: true, description: 'of a reversal: the deposit that it takes back' })
  depositId!: string | null;
  @Flag({ description: 'true for a deposit from the suspense account' })
  fromSuspense!: boolean;
  @Choice(TRANSFER_PURPOSES, {
    nullable: true,
    description: 'of a transfer: sweep and allocate go into custody, deallocate comes from custody',
  })
  purpose!: string | null;
  @Choice(NETWORKS, {
    nullable: true,
    example: 'ERC20',
    description: 'network of the tokens; null for a reversal',
  })
  network!: string | null;
  @Text({ nullable: true, example: 'balanced-10' })
  strategyId!: string | null;
  @Text({ example: 'admin@example.com' })
  createdBy!: string;
  @Text({ nullable: true, description: 'never the admin in createdBy' })
  approvedBy!: string | null;
  @Text({ nullable: true })
  confirmedBy!: string | null;
  @Text({ nullable: true })
  rejectedBy!: string | null;
  @Instant({ nullable: true })
  rejectedAt!: string | null;
  @Text({ nullable: true, description: 'reason of the rejection' })
  reason!: string | null;
  @Choice(CHAIN_CHECKS, {
    nullable: true,
    description:
      'matched if the chain shows a successful USDC transfer of exactly the amount to the expected address; a withdrawal ' +
      "is compared with the user's wallets, and a payment to any other address stays unverified; null without a hash",
  })
  chainCheck!: string | null;
  @Uuid({ nullable: true, description: 'the transaction request that carries it out' })
  requestId!: string | null;
}

export class AdminTransactionResponse extends ListedTransactionResponse {
  @Text({ nullable: true })
  fromAddress!: string | null;
  @Text({ nullable: true })
  toAddress!: string | null;
  @Text({ nullable: true, description: GAS_USED })
  gasUsed!: string | null;
  @Text({ nullable: true, description: GAS_PRICE })
  gasPrice!: string | null;
  @Nested(() => AdminPartResponse, {
    nullable: true,
    description: 'null for transactions that a user started',
  })
  byAdmins!: AdminPartResponse | null;
}

export class StrategyFlowResponse {
  @Text({ example: 'balanced-10' })
  strategyId!: string;
  @MoneyText({ description: 'principal that users invested since the last run' })
  invested!: string;
  @MoneyText({ description: 'principal and growth, less fees, that users received since the last run' })
  returned!: string;
  @MoneyText({ description: 'invested − returned: allocated if positive, deallocated if negative' })
  net!: string;
}

export class GeneratedTransfersResponse {
  @Uuid()
  runId!: string;
  @Instant()
  createdAt!: string;
  @ListOf(() => StrategyFlowResponse, {
    description: 'strategies with investments or closings since the last run',
  })
  strategies!: StrategyFlowResponse[];
  @ListOf(() => AdminTransactionResponse, { description: 'the new pending transfers' })
  transactions!: AdminTransactionResponse[];
}
