import {
  Choice,
  Count,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
  TextList,
  Uuid,
} from '../../../http/openapi/fields.js';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../domain/transaction.state-machine.js';
import { CHAIN_STATUSES, CHAIN_TYPES } from '../domain/chain-view.js';

export class TransactionMetadataResponse {
  @Text() description!: string;
  @MoneyText({
    description:
      "Effect on the available balance so far. The sum over all of a user's transactions is the available balance.",
  })
  balanceChange!: string;
  @Text({
    description: 'what the transaction belongs to: deposit, investment, withdrawal or admin-transaction',
    example: 'deposit',
  })
  referenceType!: string;
  @Text({
    description:
      'id of the reference; of a partial closing: the id of the investment, a colon and the number of the closing',
  })
  referenceId!: string;
}

export class TimelineEntryResponse {
  @Choice(TRANSACTION_STATUSES) status!: string;
  @Instant() timestamp!: string;
  @Text() description!: string;
}

/** A transaction in the ledger view. */
export class TransactionResponse {
  @Uuid() id!: string;
  @Choice(TRANSACTION_TYPES) type!: string;
  @MoneyText({ description: 'A loss is an earning below zero.' }) amount!: string;
  @Text({
    description: 'of a deposit: the currency received, and after crediting the currency credited',
    example: 'USDC',
  })
  currency!: string;
  @Choice(TRANSACTION_STATUSES) status!: string;
  @Text({ nullable: true, description: 'address on chain' }) from!: string | null;
  @Text({ nullable: true, description: 'address on chain' }) to!: string | null;
  @Text({ nullable: true }) blockchainTxHash!: string | null;
  @Count({ nullable: true }) blockNumber!: number | null;
  @Text({ nullable: true, description: 'units of gas; null if the chain was not read' }) gasUsed!:
    string | null;
  @MoneyText({
    nullable: true,
    description: 'in ETH, paid by the sender; null if the chain was not read',
  })
  gasFee!: string | null;
  @Text({ nullable: true, example: 'balanced-10' }) strategyId!: string | null;
  @Text({ nullable: true }) strategyName!: string | null;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) completedAt!: string | null;
  @Instant({ nullable: true, description: 'when it was seen on chain or taken into processing' })
  submittedAt!: string | null;
  @Count() confirmations!: number;
  @Nested(() => TransactionMetadataResponse) metadata!: TransactionMetadataResponse;
  @ListOf(() => TimelineEntryResponse) timeline!: TimelineEntryResponse[];
}

export class StrategyDetailsResponse {
  @Ratio({ description: 'percent a year' }) apy!: number;
  @Choice(['low', 'medium', 'high']) riskLevel!: string;
  @TextList() protocols!: string[];
}

export class TransactionDetailResponse extends TransactionResponse {
  @Nested(() => StrategyDetailsResponse, {
    nullable: true,
    description: 'null unless the transaction concerns an investment',
  })
  strategyDetails!: StrategyDetailsResponse | null;
}

/** A transaction in the chain view (`view=chain`). */
export class ChainTransactionResponse {
  @Uuid() id!: string;
  @Uuid() userID!: string;
  @Choice(CHAIN_TYPES) type!: string;
  @MoneyText() amount!: string;
  @Text({ example: 'USDC' }) currency!: string;
  @Choice(CHAIN_STATUSES) status!: string;
  @Text({ nullable: true }) transactionHash!: string | null;
  @Count({ nullable: true }) blockNumber!: number | null;
  @Count() confirmations!: number;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) confirmedAt!: string | null;
}

export const GAS_USED =
  'units of gas (each costs gasPrice), paid by the sender; null if the chain was not read';
export const GAS_PRICE = 'gwei, paid by the sender; null if the chain was not read';

export class ChainTransactionDetailResponse extends ChainTransactionResponse {
  @Text({ nullable: true }) fromAddress!: string | null;
  @Text({ nullable: true }) toAddress!: string | null;
  @Text({ nullable: true, description: GAS_USED }) gasUsed!: string | null;
  @Text({ nullable: true, description: GAS_PRICE }) gasPrice!: string | null;
}

export class ChainTransactionsResponse {
  @ListOf(() => ChainTransactionResponse) transactions!: ChainTransactionResponse[];
  @Count() total!: number;
  @Count() page!: number;
  @Count() limit!: number;
  @Count() totalPages!: number;
}
