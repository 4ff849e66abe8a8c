import { Injectable } from '@nestjs/common';
import { Answer } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import { instantRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { Strategies } from '../strategies/strategies.service.js';
import { statusesOf, typesOf } from './chain-transaction.words.js';
import {
  chainTransactionDetailView,
  chainTransactionsView,
  type ChainTransactionDetailView,
  type ChainTransactionsView,
} from './dto/chain-transaction.response.js';
import {
  transactionDetailView,
  transactionView,
  type TransactionDetailView,
  type TransactionView,
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
    private readonly strategies: Strategies,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  list(userId: string, query: TransactionsQuery): Promise<Answer<TransactionView[]> | ChainTransactionsView> {
    return query.view === 'chain' ? this.chainList(userId, query) : this.ledgerList(userId, query);
  }

  /** Throws TRANSACTION_NOT_FOUND, and FORBIDDEN when it is another user's. */
  async get(
    userId: string,
    id: string,
    view: TransactionsQuery['view'],
  ): Promise<TransactionDetailView | ChainTransactionDetailView> {
    const transaction = await this.transactions.get(userId, id);
    if (view === 'chain') return chainTransactionDetailView(transaction);
    const { strategyId } = transaction;
    return transactionDetailView(
      transaction,
      strategyId === null ? undefined : this.strategies.find(strategyId),
    );
  }

  private async ledgerList(
    userId: string,
    query: LedgerTransactionsQuery,
  ): Promise<Answer<TransactionView[]>> {
    const { rows, total } = await this.transactions.page(userId, {
      ...this.common(query),
      ...(query.type ? { types: [query.type] } : {}),
      ...(query.status ? { statuses: [query.status] } : {}),
    });
    return new Answer(rows.map(transactionView), {
      pagination: { ...paginate(query.page, query.limit, total) },
    });
  }

  private async chainList(userId: string, query: ChainTransactionsQuery): Promise<ChainTransactionsView> {
    const found = await this.transactions.page(userId, {
      ...this.common(query),
      ...(query.type ? { types: typesOf(query.type) } : {}),
      ...(query.status ? { statuses: statusesOf(query.status) } : {}),
    });
    return chainTransactionsView(found, query);
  }

  private common(query: TransactionsQuery) {
    const { page, limit, sortBy, orderBy } = query;
    return { page, limit, sortBy, orderBy, ...instantRange(query, this.clock.now()) };
  }
}
