import {
  Choice,
  Count,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  NextCursor,
  PageNumberField,
  PreviousCursor,
  Ratio,
  Text,
  TextList,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../domain/transaction.state-machine.js';
import { CHAIN_STATUSES, CHAIN_TYPES } from '../domain/chain-view.js';
import { DEPOSIT_CURRENCIES } from '../../../funds/deposits/domain/networks.js';

const BALANCE_CHANGE =
  "Effect on the available balance so far: below zero if it was reduced. The sum over all of a user's transactions is the available balance.";
/** Of texts for users. */
export const IN_LANGUAGE = 'in the language of the profile: German for de, de-CH and so on, else English';
const DESCRIPTION = `${IN_LANGUAGE}; the text of an admin for a booking by hand`;
export const CHAIN_TYPE =
  'transfer also stands for the kinds divestment, earning and fee, which are no transfers on chain';

export class TransactionMetadataResponse {
  @Text({ description: DESCRIPTION }) description!: string;
  @MoneyText({ description: BALANCE_CHANGE }) balanceChange!: string;
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
  @Text({ description: IN_LANGUAGE }) description!: string;
}

/** A transaction in the ledger view. */
export class TransactionResponse {
  @Uuid() id!: string;
  @Choice(TRANSACTION_TYPES) type!: string;
  @MoneyText({
    description:
      'in `currency`, without sign, except that a loss is an earning below zero; of ether rounded half to even to six decimals',
  })
  amount!: string;
  @Choice(DEPOSIT_CURRENCIES, {
    description: 'of a deposit: the currency received, and after crediting the currency credited',
    example: 'USDC',
  })
  currency!: string;
  @Choice(TRANSACTION_STATUSES) status!: string;
  @Text({ nullable: true, description: 'address on chain' }) from!: string | null;
  @Text({ nullable: true, description: 'address on chain' }) to!: string | null;
  @Text({ nullable: true }) blockchainTxHash!: string | null;
  @Count({
    nullable: true,
    description:
      'of the block that contains the transaction; null until it is in one, and where the chain was not read',
  })
  blockNumber!: number | null;
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
  @Count({
    description: 'confirmations at the last report or reading of the chain; 0 without a transfer on chain',
  })
  confirmations!: number;
  @Nested(() => TransactionMetadataResponse) metadata!: TransactionMetadataResponse;
  @ListOf(() => TimelineEntryResponse) timeline!: TimelineEntryResponse[];
}

export class StrategyDetailsResponse {
  @Ratio({ description: 'target in force, percent a year' }) apy!: number;
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
  @Choice(CHAIN_TYPES, { description: CHAIN_TYPE }) type!: string;
  @MoneyText({ description: 'without sign, except that a loss is an earning below zero' }) amount!: string;
  @Choice(DEPOSIT_CURRENCIES) currency!: string;
  @Choice(CHAIN_STATUSES) status!: string;
  @Text({ nullable: true }) transactionHash!: string | null;
  @Count({
    nullable: true,
    description:
      'of the block that contains the transaction; null until it is in one, and where the chain was not read',
  })
  blockNumber!: number | null;
  @Count({
    description: 'confirmations at the last report or reading of the chain; 0 without a transfer on chain',
  })
  confirmations!: number;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) confirmedAt!: string | null;
  @Choice(TRANSACTION_TYPES, { description: 'the type in the ledger view' }) kind!: string;
  @MoneyText({ description: BALANCE_CHANGE }) balanceChange!: string;
  @Text({ example: 'Fees of Balanced 10%', description: DESCRIPTION }) description!: string;
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
  @Count({ description: 'rows that the filter selects, on all pages' }) total!: number;
  @PageNumberField() page!: number | null;
  @Count({ description: 'largest number of rows of a page' }) limit!: number;
  @Count({ description: 'pages with this limit; 0 without rows' }) totalPages!: number;
  @NextCursor() next!: string | null;
  @PreviousCursor() previous!: string | null;
}
