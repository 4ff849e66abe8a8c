import { Choice, Count, Instant, ListOf, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import type { Rows } from '../../../http/request/pagination.js';
import { CHAIN_STATUSES, CHAIN_TYPES, chainStatusOf, chainTypeOf } from '../chain-transaction.words.js';
import { shownAmount } from './transaction.response.js';
import type { TransactionDetails } from '../transactions.queries.js';

/** Shape A: the same transactions in the words of the chain (`view=chain`). */
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

function toChainTransactionResponse(transaction: TransactionDetails): ChainTransactionResponse {
  return {
    id: transaction.id,
    userID: transaction.userId,
    type: chainTypeOf(transaction.type),
    amount: shownAmount(transaction),
    currency: transaction.currency,
    status: chainStatusOf(transaction.status),
    transactionHash: transaction.txHash,
    blockNumber: transaction.blockNumber,
    confirmations: transaction.confirmations,
    createdAt: transaction.createdAt.toISOString(),
    confirmedAt: transaction.completedAt?.toISOString() ?? null,
  };
}

export const GAS_USED =
  'units of gas (each costs gasPrice), paid by the sender; null where the chain was not asked';
export const GAS_PRICE = 'gwei, paid by the sender; null where the chain was not asked';

export class ChainTransactionDetailResponse extends ChainTransactionResponse {
  @Text({ nullable: true }) fromAddress!: string | null;
  @Text({ nullable: true }) toAddress!: string | null;
  @Text({ nullable: true, description: GAS_USED }) gasUsed!: string | null;
  @Text({ nullable: true, description: GAS_PRICE }) gasPrice!: string | null;
}

export function toChainTransactionDetailResponse(
  transaction: TransactionDetails,
): ChainTransactionDetailResponse {
  return {
    ...toChainTransactionResponse(transaction),
    fromAddress: transaction.fromAddress,
    toAddress: transaction.toAddress,
    gasUsed: transaction.gasUsed,
    gasPrice: transaction.gasPrice,
  };
}

export class ChainTransactionsResponse {
  @ListOf(() => ChainTransactionResponse) transactions!: ChainTransactionResponse[];
  @Count() total!: number;
  @Count() page!: number;
  @Count() limit!: number;
  @Count() totalPages!: number;
}

export function toChainTransactionsResponse(
  { rows, total }: Rows<TransactionDetails>,
  { page, limit }: { page: number; limit: number },
): ChainTransactionsResponse {
  return {
    transactions: rows.map(toChainTransactionResponse),
    total,
    page,
    limit,
    totalPages: Math.ceil(total / limit),
  };
}
