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
import { MICRO_SCALE } from '../../../common/money.js';
import { asNumber } from '../../../common/ratio.js';
import type { Strategy } from '../../strategies/entities/strategy.entity.js';
import { gasFee } from '../../blockchain/mined.js';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../domain/transaction.state-machine.js';
import type { TransactionDetails } from '../transactions.queries.js';

export class TransactionMetadataResponse {
  @Text() description!: string;
  @MoneyText({
    description:
      "What it has done to the available balance so far: all of a user's transactions add up to it.",
  })
  balanceChange!: string;
  @Text({
    description: 'deposit, investment, withdrawal or admin-transaction, and its id',
    example: 'deposit',
  })
  referenceType!: string;
  @Text({ description: 'of a partial closing the id of the investment and, behind a colon, its number' })
  referenceId!: string;
}

export class TimelineEntryResponse {
  @Choice(TRANSACTION_STATUSES) status!: string;
  @Instant() timestamp!: string;
  @Text() description!: string;
}

/** Shape B: a transaction as the ledger has it. */
export class TransactionResponse {
  @Uuid() id!: string;
  @Choice(TRANSACTION_TYPES) type!: string;
  @MoneyText({ description: 'A loss is an earning below zero.' }) amount!: string;
  @Text({ description: 'As received until a deposit is credited, as credited from then on', example: 'USDC' })
  currency!: string;
  @Choice(TRANSACTION_STATUSES) status!: string;
  @Text({ nullable: true, description: 'address on chain' }) from!: string | null;
  @Text({ nullable: true, description: 'address on chain' }) to!: string | null;
  @Text({ nullable: true }) blockchainTxHash!: string | null;
  @Count({ nullable: true }) blockNumber!: number | null;
  @Text({ nullable: true, description: 'units of gas; null where the chain was not asked' }) gasUsed!:
    string | null;
  @MoneyText({
    nullable: true,
    description: 'in ETH, paid by the sender; null where the chain was not asked',
  })
  gasFee!: string | null;
  @Text({ nullable: true, example: 'balanced-10' }) strategyId!: string | null;
  @Text({ nullable: true }) strategyName!: string | null;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) completedAt!: string | null;
  @Instant({ nullable: true, description: 'seen on chain, or taken into processing' }) submittedAt!:
    string | null;
  @Count() confirmations!: number;
  @Nested(() => TransactionMetadataResponse) metadata!: TransactionMetadataResponse;
  @ListOf(() => TimelineEntryResponse) timeline!: TimelineEntryResponse[];
}

export function toTransactionResponse(transaction: TransactionDetails): TransactionResponse {
  return {
    id: transaction.id,
    type: transaction.type,
    amount: shownAmount(transaction),
    currency: transaction.currency,
    status: transaction.status,
    from: transaction.fromAddress,
    to: transaction.toAddress,
    blockchainTxHash: transaction.txHash,
    blockNumber: transaction.blockNumber,
    gasUsed: transaction.gasUsed,
    gasFee: gasFee(transaction),
    strategyId: transaction.strategyId,
    strategyName: transaction.strategyName,
    createdAt: transaction.createdAt.toISOString(),
    completedAt: transaction.completedAt?.toISOString() ?? null,
    submittedAt: transaction.submittedAt?.toISOString() ?? null,
    confirmations: transaction.confirmations,
    metadata: {
      description: transaction.description,
      balanceChange: transaction.balanceChange.toWire(),
      referenceType: transaction.referenceType,
      referenceId: transaction.referenceId,
    },
    timeline: transaction.timeline.map(({ status, timestamp, description }) => ({
      status,
      timestamp,
      description,
    })),
  };
}

/** On the wire: ether has more decimals than are shown. */
export function shownAmount({ amount }: TransactionDetails): string {
  return amount.roundHalfEven(MICRO_SCALE).toWire();
}

export class StrategyDetailsResponse {
  @Ratio({ description: 'percent a year' }) apy!: number;
  @Choice(['low', 'medium', 'high']) riskLevel!: string;
  @TextList() protocols!: string[];
}

export class TransactionDetailResponse extends TransactionResponse {
  @Nested(() => StrategyDetailsResponse, { nullable: true, description: 'of what concerns an investment' })
  strategyDetails!: StrategyDetailsResponse | null;
}

export function toTransactionDetailResponse(
  transaction: TransactionDetails,
  strategy: Strategy | undefined,
): TransactionDetailResponse {
  return {
    ...toTransactionResponse(transaction),
    strategyDetails: strategy
      ? {
          apy: asNumber(strategy.apy),
          riskLevel: strategy.riskLevel,
          protocols: strategy.protocols.map(({ name }) => name),
        }
      : null,
  };
}
