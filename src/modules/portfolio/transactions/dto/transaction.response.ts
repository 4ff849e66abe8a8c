import {
  EnumField,
  IntegerField,
  InstantField,
  ListField,
  MoneyField,
  NestedField,
  NextCursorField,
  PageNumberField,
  PreviousCursorField,
  NumberField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import {
  TRANSACTION_TYPES,
  TRANSACTION_STATUSES,
  CHAIN_STATUSES,
  CHAIN_TYPES,
} from '../domain/transaction-kinds.js';
import { DEPOSIT_CURRENCIES } from '../../../funds/deposits/domain/networks.js';

const BALANCE_CHANGE =
  "Effect on the available balance so far: below zero if it was reduced. The sum over all of a user's transactions is the available balance.";
/** Describes texts for users. */
export const IN_LANGUAGE = 'in the language of the profile: German for de, de-CH and so on, else English';
const DESCRIPTION = `${IN_LANGUAGE}; the text of an admin for a booking by hand`;
export const CHAIN_TYPE =
  'transfer also stands for the kinds divestment, earning and fee, which are no transfers on chain';

export class TransactionMetadataResponse {
  @StringField({ description: DESCRIPTION }) description!: string;
  @MoneyField({ description: BALANCE_CHANGE }) balanceChange!: string;
  @StringField({
    description: 'what the transaction belongs to: deposit, investment, withdrawal or admin-transaction',
    example: 'deposit',
  })
  referenceType!: string;
  @StringField({
    description:
      'id of the reference; of a partial closing: the id of the investment, a colon and the number of the closing',
  })
  referenceId!: string;
}

export class TimelineEntryResponse {
  @EnumField(TRANSACTION_STATUSES) status!: string;
  @InstantField() timestamp!: string;
  @StringField({ description: IN_LANGUAGE }) description!: string;
}

/** A transaction in the ledger view. */
export class TransactionResponse {
  @UuidField() id!: string;
  @EnumField(TRANSACTION_TYPES) type!: string;
  @MoneyField({
    description:
      'in `currency`, without sign, except that a loss is an earning below zero; of ether rounded half to even to six decimals',
  })
  amount!: string;
  @EnumField(DEPOSIT_CURRENCIES, {
    description: 'of a deposit: the currency received, and after crediting the currency credited',
    example: 'USDC',
  })
  currency!: string;
  @EnumField(TRANSACTION_STATUSES) status!: string;
  @StringField({ nullable: true, description: 'address on chain' }) from!: string | null;
  @StringField({ nullable: true, description: 'address on chain' }) to!: string | null;
  @StringField({ nullable: true }) blockchainTxHash!: string | null;
  @IntegerField({
    nullable: true,
    description:
      'of the block that contains the transaction; null until it is in one, and where the chain was not read',
  })
  blockNumber!: number | null;
  @StringField({ nullable: true, description: 'units of gas; null if the chain was not read' }) gasUsed!:
    string | null;
  @MoneyField({
    nullable: true,
    description: 'in ETH, paid by the sender; null if the chain was not read',
  })
  gasFee!: string | null;
  @StringField({ nullable: true, example: 'balanced-10' }) strategyId!: string | null;
  @StringField({ nullable: true }) strategyName!: string | null;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) completedAt!: string | null;
  @InstantField({ nullable: true, description: 'when it was seen on chain or taken into processing' })
  submittedAt!: string | null;
  @IntegerField({
    description: 'confirmations at the last report or reading of the chain; 0 without a transfer on chain',
  })
  confirmations!: number;
  @NestedField(() => TransactionMetadataResponse) metadata!: TransactionMetadataResponse;
  @ListField(() => TimelineEntryResponse) timeline!: TimelineEntryResponse[];
}

export class StrategyDetailsResponse {
  @NumberField({ description: 'target in force, percent a year' }) apy!: number;
  @EnumField(['low', 'medium', 'high']) riskLevel!: string;
  @StringListField() protocols!: string[];
}

export class TransactionDetailResponse extends TransactionResponse {
  @NestedField(() => StrategyDetailsResponse, {
    nullable: true,
    description: 'null unless the transaction concerns an investment',
  })
  strategyDetails!: StrategyDetailsResponse | null;
}

/** A transaction in the chain view (`view=chain`). */
export class ChainTransactionResponse {
  @UuidField() id!: string;
  @UuidField() userID!: string;
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
  @IntegerField({
    description: 'confirmations at the last report or reading of the chain; 0 without a transfer on chain',
  })
  confirmations!: number;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) confirmedAt!: string | null;
  @EnumField(TRANSACTION_TYPES, { description: 'the type in the ledger view' }) kind!: string;
  @MoneyField({ description: BALANCE_CHANGE }) balanceChange!: string;
  @StringField({ example: 'Fees of Balanced 10%', description: DESCRIPTION }) description!: string;
}

export const GAS_USED =
  'units of gas (each costs gasPrice), paid by the sender; null if the chain was not read';
export const GAS_PRICE = 'gwei, paid by the sender; null if the chain was not read';

export class ChainTransactionDetailResponse extends ChainTransactionResponse {
  @StringField({ nullable: true }) fromAddress!: string | null;
  @StringField({ nullable: true }) toAddress!: string | null;
  @StringField({ nullable: true, description: GAS_USED }) gasUsed!: string | null;
  @StringField({ nullable: true, description: GAS_PRICE }) gasPrice!: string | null;
}

export class ChainTransactionsResponse {
  @ListField(() => ChainTransactionResponse) transactions!: ChainTransactionResponse[];
  @IntegerField({ description: 'rows that the filter selects, on all pages' }) total!: number;
  @PageNumberField() page!: number | null;
  @IntegerField({ description: 'largest number of rows of a page' }) limit!: number;
  @IntegerField({ description: 'pages with this limit; 0 without rows' }) totalPages!: number;
  @NextCursorField() next!: string | null;
  @PreviousCursorField() previous!: string | null;
}
