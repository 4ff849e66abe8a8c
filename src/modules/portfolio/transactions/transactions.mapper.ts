import { MICRO_SCALE } from '../../../common/money.js';
import type { Language } from '../../../common/message-texts.js';
import { asNumber } from '../../../common/ratio.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { gasFee } from '../../providers/chain/domain/mined.js';
import { chainStatusOf, chainTypeOf } from './domain/chain-view.js';
import { shownDescription, shownStep } from './domain/transaction-texts.js';
import type {
  ChainTransactionDetailResponse,
  ChainTransactionResponse,
  ChainTransactionsResponse,
  TransactionDetailResponse,
  TransactionResponse,
} from './dto/transaction.response.js';
import type { TransactionWithStrategy } from './transactions.service.js';
import type { OwnTransaction, TransactionDetails } from './entities/transaction.entity.js';

export function toTransactionResponse(
  transaction: TransactionDetails,
  language: Language,
): TransactionResponse {
  return {
    id: transaction.id,
    type: transaction.type,
    amount: toAmount(transaction),
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
      description: shownDescription(transaction, language),
      balanceChange: transaction.balanceChange.toWire(),
      referenceType: transaction.referenceType,
      referenceId: transaction.referenceId,
    },
    timeline: transaction.timeline.map(({ status, timestamp, description }) => ({
      status,
      timestamp,
      description: shownStep(description, language),
    })),
  };
}

export function toTransactionDetailResponse({
  transaction,
  strategy,
}: TransactionWithStrategy): TransactionDetailResponse {
  return {
    ...toTransactionResponse(transaction, transaction.language),
    strategyDetails: strategy
      ? {
          apy: asNumber(strategy.apy),
          riskLevel: strategy.riskLevel,
          protocols: strategy.protocols.map(({ name }) => name),
        }
      : null,
  };
}

function toChainTransactionResponse(transaction: OwnTransaction): ChainTransactionResponse {
  return {
    id: transaction.id,
    userID: transaction.userId,
    type: chainTypeOf(transaction.type),
    amount: toAmount(transaction),
    currency: transaction.currency,
    status: chainStatusOf(transaction.status),
    transactionHash: transaction.txHash,
    blockNumber: transaction.blockNumber,
    confirmations: transaction.confirmations,
    createdAt: transaction.createdAt.toISOString(),
    confirmedAt: transaction.completedAt?.toISOString() ?? null,
    kind: transaction.type,
    balanceChange: transaction.balanceChange.toWire(),
    description: shownDescription(transaction, transaction.language),
  };
}

export function toChainTransactionDetailResponse({
  transaction,
}: TransactionWithStrategy): ChainTransactionDetailResponse {
  return {
    ...toChainTransactionResponse(transaction),
    fromAddress: transaction.fromAddress,
    toAddress: transaction.toAddress,
    gasUsed: transaction.gasUsed,
    gasPrice: transaction.gasPrice,
  };
}

export function toChainTransactionsResponse(
  { rows, ...counted }: Rows<OwnTransaction>,
  request: PageRequest,
): ChainTransactionsResponse {
  const { total, page, limit, totalPages, next, previous } = paginate(request, counted);
  return {
    transactions: rows.map(toChainTransactionResponse),
    ...{ total, page, limit, totalPages, next, previous },
  };
}

/** Ether is stored with 18 decimals and shown with six. */
function toAmount({ amount }: TransactionDetails): string {
  return amount.roundHalfEven(MICRO_SCALE).toWire();
}
