import {
  AsOfField,
  BooleanField,
  EnumField,
  InstantField,
  IntegerField,
  ListField,
  MoneyField,
  NestedField,
  NextCursorField,
  PageNumberField,
  PreviousCursorField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { DEPOSIT_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';
import {
  CHAIN_STATUSES,
  CHAIN_TYPES,
  TRANSACTION_TYPES,
} from '../../../portfolio/transactions/domain/transaction-kinds.js';
import { CHAIN_TYPE, GAS_PRICE, GAS_USED } from '../../../portfolio/transactions/dto/transaction.response.js';
import { CHAIN_CHECKS } from '../../../providers/chain/domain/chain-check.js';
import { TRANSACTION_REQUEST_STATUSES } from '../domain/admin-transaction.js';
import { TRANSFER_PURPOSES } from '../domain/transfer-plan.js';

const TRANSACTION_KINDS = [...TRANSACTION_TYPES, 'transfer'] as const;

const RECORD_TYPES = ['deposit', 'withdrawal', 'investment', 'transaction'] as const;

class RecordOfTransactionResponse {
  @EnumField(RECORD_TYPES, { description: 'transaction: one that admins requested' }) type!: string;
  @UuidField() id!: string;
}

/** A user's transaction, or one that an admin requested. */
export class ListedTransactionResponse {
  @UuidField() id!: string;
  @UuidField({ nullable: true, description: 'null for transfers between the providers' })
  userID!: string | null;
  @StringField({ nullable: true, example: 'ann@example.org' }) userEmail!: string | null;
  @EnumField(CHAIN_TYPES, { description: CHAIN_TYPE }) type!: string;
  @MoneyField({ description: 'without sign, except that a loss is an earning below zero' }) amount!: string;
  @EnumField(DEPOSIT_CURRENCIES) currency!: string;
  @EnumField(CHAIN_STATUSES) status!: string;
  @StringField({ nullable: true }) transactionHash!: string | null;
  @IntegerField({
    nullable: true,
    description:
      'of the block that contains the transaction; null until it is in one, and where the chain was not read',
  })
  blockNumber!: number | null;
  @IntegerField({ description: 'at the last lookup on the chain' }) confirmations!: number;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true, description: 'time at which it was credited, paid out or booked' })
  confirmedAt!: string | null;
  @InstantField({
    nullable: true,
    description:
      'time at which it appeared on chain or an operator took it; of an admin transaction, the time of its approval',
  })
  processedAt!: string | null;
  @EnumField(TRANSACTION_KINDS, {
    description: 'of a transaction of a user its type in the ledger view; transfer: between the providers',
  })
  kind!: string;
  @MoneyField({
    nullable: true,
    description:
      "effect on the user's available balance so far, below zero if it was reduced; null for a transaction that admins requested, whose effect is in the user's own record",
  })
  balanceChange!: string | null;
  @StringField({ example: 'Fees of Balanced 10%' }) description!: string;
  @BooleanField({
    description:
      'true for a withdrawal that its user has cancelled, and for a deposit that was booked by hand instead; status is then failed',
  })
  cancelled!: boolean;
  @NestedField(() => RecordOfTransactionResponse, {
    nullable: true,
    description: 'what a transaction of a user is about; null for a transaction that admins requested',
  })
  record!: RecordOfTransactionResponse | null;
}

export class TransactionPageResponse {
  @ListField(() => ListedTransactionResponse) transactions!: ListedTransactionResponse[];
  @IntegerField({ description: 'transactions that the filter selects, on all pages' }) total!: number;
  @PageNumberField() page!: number | null;
  @IntegerField({ description: 'largest number of rows of a page' })
  limit!: number;
  @IntegerField({ description: 'pages with this limit; 0 without rows' }) totalPages!: number;
  @NextCursorField() next!: string | null;
  @PreviousCursorField() previous!: string | null;
  @AsOfField({ optional: true })
  asOf?: string;
}

/** Fields that only transactions requested by an admin have. */
export class AdminPartResponse {
  @UuidField({
    nullable: true,
    description:
      'of a reversal: the withdrawal whose money it returns; of a withdrawal: the withdrawal whose late or second ' +
      'payment it books',
  })
  withdrawalId!: string | null;
  @UuidField({ nullable: true, description: 'of a reversal: the deposit that it takes back' })
  depositId!: string | null;
  @BooleanField({ description: 'true for a deposit from the suspense account' }) fromSuspense!: boolean;
  @EnumField(TRANSFER_PURPOSES, {
    nullable: true,
    description: 'of a transfer: sweep and allocate go into custody, deallocate comes from custody',
  })
  purpose!: string | null;
  @EnumField(NETWORKS, {
    nullable: true,
    example: 'ERC20',
    description: 'network of the tokens; null for a reversal',
  })
  network!: string | null;
  @StringField({ nullable: true, example: 'balanced-10' }) strategyId!: string | null;
  @StringField({ example: 'admin@example.com' }) createdBy!: string;
  @StringField({ nullable: true, description: 'never the admin in createdBy' }) approvedBy!: string | null;
  @StringField({ nullable: true }) confirmedBy!: string | null;
  @StringField({ nullable: true }) rejectedBy!: string | null;
  @InstantField({ nullable: true }) rejectedAt!: string | null;
  @StringField({ nullable: true, description: 'reason of the rejection' }) reason!: string | null;
  @EnumField(CHAIN_CHECKS, {
    nullable: true,
    description:
      'matched if the chain shows a successful USDC transfer of exactly the amount to the expected address; a withdrawal ' +
      "is compared with the user's wallets, and a payment to any other address stays unverified; null without a hash",
  })
  chainCheck!: string | null;
  @UuidField({ nullable: true, description: 'the transaction request that carries it out' })
  requestId!: string | null;
}

export class AdminTransactionResponse extends ListedTransactionResponse {
  @StringField({ nullable: true }) fromAddress!: string | null;
  @StringField({ nullable: true }) toAddress!: string | null;
  @StringField({ nullable: true, description: GAS_USED }) gasUsed!: string | null;
  @StringField({ nullable: true, description: GAS_PRICE }) gasPrice!: string | null;
  @NestedField(() => AdminPartResponse, {
    nullable: true,
    description: 'null for transactions that a user started',
  })
  byAdmins!: AdminPartResponse | null;
}

class StrategyFlowResponse {
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @MoneyField({ description: 'principal that users invested since the last run' }) invested!: string;
  @MoneyField({ description: 'principal and growth, less fees, that users received since the last run' })
  returned!: string;
  @MoneyField({ description: 'invested − returned: allocated if positive, deallocated if negative' })
  net!: string;
}

export class GeneratedTransfersResponse {
  @UuidField() runId!: string;
  @InstantField() createdAt!: string;
  @ListField(() => StrategyFlowResponse, {
    description: 'strategies with investments or closings since the last run',
  })
  strategies!: StrategyFlowResponse[];
  @ListField(() => AdminTransactionResponse, { description: 'the new pending transfers' })
  transactions!: AdminTransactionResponse[];
}

export class TransactionRequestResponse {
  @UuidField() id!: string;
  @EnumField(TRANSFER_PURPOSES, {
    description:
      'allocate: invested money, into custody; deallocate: from custody to the deposit provider; sweep: surplus of the ' +
      'deposit provider, into custody',
  })
  type!: string;
  @EnumField(TRANSACTION_REQUEST_STATUSES, { description: 'rejected together with its transaction' })
  status!: string;
  @MoneyField({ description: 'to transfer, in `currency`' }) amount!: string;
  @EnumField(DEPOSIT_CURRENCIES) currency!: string;
  @EnumField(NETWORKS, { example: 'ERC20' }) network!: string;
  @StringField({ example: 'crypto2b', description: 'the provider that sends the tokens' }) from!: string;
  @StringField({ example: 'custody', description: 'the provider that receives them' }) to!: string;
  @StringField({
    nullable: true,
    description: 'ERC20 address of the receiver; null for other networks or if none is configured',
  })
  toAddress!: string | null;
  @StringField({
    nullable: true,
    example: 'balanced-10',
    description: 'null for a sweep and for the shortage of the deposit provider',
  })
  strategyId!: string | null;
  @UuidField({ description: 'the transfer that completing this request confirms' }) transactionId!: string;
  @StringField({ example: 'admin@example.com', description: 'the admin who created the request' })
  requestedBy!: string;
  @StringField({
    nullable: true,
    description:
      'the admin who is to carry it out; null while unassigned. Any admin with transactions:write may complete it',
  })
  assignedTo!: string | null;
  @StringField({ nullable: true, description: 'the admin who entered the hash' }) completedBy!: string | null;
  @StringField({ nullable: true }) txHash!: string | null;
  @EnumField(CHAIN_CHECKS, {
    nullable: true,
    description: 'matched if the chain shows a successful USDC transfer of exactly the amount to toAddress',
  })
  chainCheck!: string | null;
  @StringField({ nullable: true }) note!: string | null;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) completedAt!: string | null;
}

export class CreatedRequestsResponse {
  @ListField(() => TransactionRequestResponse, { description: 'requests created by this call, at most 100' })
  requests!: TransactionRequestResponse[];
}
