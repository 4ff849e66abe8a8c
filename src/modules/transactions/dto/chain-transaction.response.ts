import { Choice, Count, Instant, ListOf, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import { CHAIN_STATUSES, CHAIN_TYPES } from '../domain/chain-view.js';

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
