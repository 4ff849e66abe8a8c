import { Injectable } from '@nestjs/common';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import { instantRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { statusesOf, typesOf } from './chain-transaction.words.js';
import {
  toChainTransactionDetailResponse,
  toChainTransactionsResponse,
  type ChainTransactionDetailResponse,
  type ChainTransactionsResponse,
} from './dto/chain-transaction.response.js';
import {
  toTransactionDetailResponse,
  toTransactionResponse,
  type TransactionDetailResponse,
  type TransactionResponse,
} from './dto/transaction.response.js';
import type {
  ChainTransactionsQuery,
  LedgerTransactionsQuery,
  TransactionsQuery,
} from './dto/transactions.request.js';
import { TransactionsQueries } from './transactions.queries.js';

/** What users read of their transactions, in either view. */
@Injectable()
export class TransactionsService {
  constructor(
    private readonly transactions: TransactionsQueries,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  list(
    userId: string,
    query: TransactionsQuery,
  ): Promise<EnvelopedResponse<TransactionResponse[]> | ChainTransactionsResponse> {
    return query.view === 'chain' ? this.chainList(userId, query) : this.ledgerList(userId, query);
  }

  /** Throws TRANSACTION_NOT_FOUND, and FORBIDDEN when it is another user's. */
  async get(
    userId: string,
    id: string,
    view: TransactionsQuery['view'],
  ): Promise<TransactionDetailResponse | ChainTransactionDetailResponse> {
    const transaction = await this.transactions.get(userId, id);
    if (view === 'chain') return toChainTransactionDetailResponse(transaction);
    const { strategyId } = transaction;
    return toTransactionDetailResponse(
      transaction,
      strategyId === null ? undefined : this.strategies.find(strategyId),
    );
  }

  private async ledgerList(
    userId: string,
    query: LedgerTransactionsQuery,
  ): Promise<EnvelopedResponse<TransactionResponse[]>> {
    const { rows, total } = await this.transactions.page(userId, {
      ...this.common(query),
      ...(query.type ? { types: [query.type] } : {}),
      ...(query.status ? { statuses: [query.status] } : {}),
    });
    return new EnvelopedResponse(rows.map(toTransactionResponse), {
      pagination: { ...paginate(query.page, query.limit, total) },
    });
  }

  private async chainList(userId: string, query: ChainTransactionsQuery): Promise<ChainTransactionsResponse> {
    const found = await this.transactions.page(userId, {
      ...this.common(query),
      ...(query.type ? { types: typesOf(query.type) } : {}),
      ...(query.status ? { statuses: statusesOf(query.status) } : {}),
    });
    return toChainTransactionsResponse(found, query);
  }

  private common(query: TransactionsQuery) {
    const { page, limit, sortBy, orderBy } = query;
    return { page, limit, sortBy, orderBy, ...instantRange(query, this.clock.now()) };
  }
}
