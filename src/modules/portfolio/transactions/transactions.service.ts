import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { instantRange } from '../../../http/request/date-range.js';
import type { Rows } from '../../../http/request/pagination.js';
import type { Strategy } from '../../investing/strategies/entities/strategy.entity.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import { statusesOf, typesOf } from './domain/transaction-kinds.js';
import type { TransactionsQuery } from './dto/list-transactions.request.js';
import { TransactionsRepository, type TransactionsFilter } from './transactions.repository.js';
import type { OwnTransaction } from './entities/transaction.entity.js';

export interface TransactionWithStrategy {
  readonly transaction: OwnTransaction;
  /** Undefined if the transaction does not concern an investment. */
  readonly strategy: Strategy | undefined;
}

@Injectable()
export class TransactionsService {
  constructor(
    private readonly transactions: TransactionsRepository,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  async listTransactions(userId: string, query: TransactionsQuery): Promise<Rows<OwnTransaction>> {
    const range = instantRange(query, this.clock.now());
    return this.transactions.findTransactionsPage(userId, { ...query, ...range, ...typesAndStatuses(query) });
  }

  /** Throws TRANSACTION_NOT_FOUND, or FORBIDDEN if it belongs to another user. */
  async getTransaction(userId: string, id: string): Promise<TransactionWithStrategy> {
    const transaction = (await this.transactions.findTransaction(id)) ?? throwError('TRANSACTION_NOT_FOUND');
    if (transaction.userId !== userId) return throwError('FORBIDDEN');
    const { strategyId } = transaction;
    return {
      transaction,
      strategy: strategyId === null ? undefined : this.strategies.getStrategy(strategyId),
    };
  }
}

function typesAndStatuses(query: TransactionsQuery): Pick<TransactionsFilter, 'types' | 'statuses'> {
  if (query.view === 'chain')
    return {
      types: query.type && typesOf(query.type),
      statuses: query.status && statusesOf(query.status),
    };
  return { types: query.type && [query.type], statuses: query.status && [query.status] };
}
