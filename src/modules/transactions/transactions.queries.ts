import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, In, LessThan, MoreThanOrEqual, type FindOperator, type Repository } from 'typeorm';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import type { InstantRange } from '../../http/request/date-range.js';
import { fail } from '../../common/errors/domain-error.js';
import type { Money } from '../../common/money.js';
import type { Mined } from '../blockchain/mined.js';
import { Transaction, type TimelineEntry } from './entities/transaction.entity.js';
import type { TransactionStatus, TransactionType } from './domain/transaction.state-machine.js';

/** A record of what happened to a user's money. */
export interface TransactionDetails extends Mined {
  readonly id: string;
  readonly userId: string;
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly amount: Money;
  readonly currency: string;
  readonly balanceChange: Money;
  readonly referenceType: string;
  readonly referenceId: string;
  readonly description: string;
  readonly fromAddress: string | null;
  readonly toAddress: string | null;
  readonly txHash: string | null;
  readonly strategyId: string | null;
  readonly strategyName: string | null;
  readonly createdAt: Date;
  readonly submittedAt: Date | null;
  readonly completedAt: Date | null;
  readonly timeline: readonly TimelineEntry[];
}

export interface TransactionsFilter extends Partial<InstantRange> {
  types?: TransactionType[];
  statuses?: TransactionStatus[];
  sortBy: 'createdAt' | 'amount';
  orderBy: 'asc' | 'desc';
  page: number;
  limit: number;
}

@Injectable()
export class TransactionsQueries {
  constructor(@InjectRepository(Transaction) private readonly transactions: Repository<Transaction>) {}

  /** One page of a user's records, and how many match in all. */
  async page(userId: string, filter: TransactionsFilter): Promise<Rows<TransactionDetails>> {
    const createdAt = within(filter);
    const [rows, total] = await this.transactions.findAndCount({
      where: {
        userId,
        ...(filter.types ? { type: In(filter.types) } : {}),
        ...(filter.statuses ? { status: In(filter.statuses) } : {}),
        ...(createdAt ? { createdAt } : {}),
      },
      order: { [filter.sortBy]: filter.orderBy, id: filter.orderBy },
      skip: offsetOf(filter),
      take: filter.limit,
    });
    return { rows, total };
  }

  /** The newest of a user's records. */
  async recent(userId: string, limit: number): Promise<TransactionDetails[]> {
    if (limit === 0) return []; // TypeORM takes zero for no limit at all
    return this.transactions.find({
      where: { userId },
      order: { createdAt: 'desc', id: 'desc' },
      take: limit,
    });
  }

  /** Throws TRANSACTION_NOT_FOUND, and FORBIDDEN when it is another user's. */
  async get(userId: string, id: string): Promise<TransactionDetails> {
    const transaction = (await this.transactions.findOneBy({ id })) ?? fail('TRANSACTION_NOT_FOUND');
    return transaction.userId === userId ? transaction : fail('FORBIDDEN');
  }
}

function within({ from, to }: Partial<InstantRange>): FindOperator<Date> | undefined {
  if (from && to) return And(MoreThanOrEqual(from), LessThan(to));
  if (from) return MoreThanOrEqual(from);
  return to ? LessThan(to) : undefined;
}
