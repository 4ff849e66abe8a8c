import type { Language } from '../../../common/message-texts.js';
import { MICRO_SCALE, type Money } from '../../../common/money.js';
import { asNumber } from '../../../common/ratio.js';
import { paginate, type Rows } from '../../../http/request/pagination.js';
import { toResponse } from '../../../http/response/to-response.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { gasFee } from '../../providers/chain/chain.client.js';
import { chainStatusOf, chainTypeOf, shownDescription, shownStep } from './domain/transaction-kinds.js';
import {
  ChainTransactionDetailResponse,
  ChainTransactionsResponse,
  TransactionDetailResponse,
  TransactionResponse,
} from './dto/transaction.response.js';
import type { OwnTransaction, TransactionDetails } from './entities/transaction.entity.js';
import type { TransactionWithStrategy } from './transactions.service.js';

export function toTransactionResponse(
  transaction: TransactionDetails,
  language: Language,
): TransactionResponse {
  return toResponse(TransactionResponse, transaction, ledgerViewFields(transaction, language));
}

function ledgerViewFields(transaction: TransactionDetails, language: Language) {
  return {
    amount: shownAmount(transaction),
    from: transaction.fromAddress,
    to: transaction.toAddress,
    blockchainTxHash: transaction.txHash,
    gasFee: gasFee(transaction),
    metadata: {
      description: shownDescription(transaction, language),
      balanceChange: transaction.balanceChange,
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
  return toResponse(TransactionDetailResponse, transaction, {
    ...ledgerViewFields(transaction, transaction.language),
    strategyDetails: strategy
      ? {
          apy: asNumber(strategy.apy),
          riskLevel: strategy.riskLevel,
          protocols: strategy.protocols.map(({ name }) => name),
        }
      : null,
  });
}

function chainViewFields(transaction: OwnTransaction) {
  return {
    userID: transaction.userId,
    type: chainTypeOf(transaction.type),
    amount: shownAmount(transaction),
    status: chainStatusOf(transaction.status),
    transactionHash: transaction.txHash,
    confirmedAt: transaction.completedAt,
    kind: transaction.type,
    description: shownDescription(transaction, transaction.language),
  };
}

export function toChainTransactionDetailResponse({
  transaction,
}: TransactionWithStrategy): ChainTransactionDetailResponse {
  return toResponse(ChainTransactionDetailResponse, transaction, chainViewFields(transaction));
}

export function toChainTransactionsResponse(
  { rows, ...counted }: Rows<OwnTransaction>,
  request: PageRequest,
): ChainTransactionsResponse {
  const transactions = rows.map((row) => ({ ...row, ...chainViewFields(row) }));
  return toResponse(ChainTransactionsResponse, paginate(request, counted), { transactions });
}

/** Ether is stored with 18 decimals and shown with six. */
function shownAmount({ amount }: TransactionDetails): Money {
  return amount.roundHalfEven(MICRO_SCALE);
}
