import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  And,
  type EntityManager,
  In,
  LessThan,
  MoreThanOrEqual,
  type FindOperator,
  type Repository,
} from 'typeorm';
import { newId } from '../../common/ids.js';
import type { CollectedWrite } from '../../database/collected-rows.js';
import { PREPARED } from '../../database/prepared.js';
import { collectRow, collectRows } from '../../database/transaction-calls.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { InstantRange } from '../../http/request/date-range.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import type { Mined } from '../blockchain/domain/mined.js';
import {
  statusAfter,
  statusesBefore,
  type TransactionStatus,
  type TransactionType,
} from './domain/transaction.state-machine.js';
import type { TransactionUpdate } from './domain/transaction-projection.js';
import { Transaction, type TransactionDetails } from './entities/transaction.entity.js';

export interface TransactionsFilter extends Partial<InstantRange> {
  types?: TransactionType[];
  statuses?: TransactionStatus[];
  sortBy: 'createdAt' | 'amount';
  orderBy: 'asc' | 'desc';
  page: number;
  limit: number;
}

const RECORDS: CollectedWrite<TransactionUpdate> = {
  name: 'user_transactions',
  toRows: (updates) => updates.map(toRow),
};
const STEPS: CollectedWrite<TransactionUpdate> = {
  name: 'user_transaction_steps',
  toRows: (updates) =>
    updates.map((update) => ({
      record: toRow(update),
      verb: update.verb,
      allowedFrom: statusesBefore(update.verb, update.type),
    })),
};
const MINED: CollectedWrite<{ reference: TransactionUpdate['reference']; mined: Mined }> = {
  name: 'mined_transactions',
  toRows: (transfers) =>
    transfers.map(({ reference, mined }) => ({
      reference_type: reference.type,
      reference_id: reference.id,
      block_number: mined.blockNumber,
      confirmations: mined.confirmations,
      gas_used: mined.gasUsed,
      gas_price: mined.gasPrice,
    })),
};

/** Writes are collected: the next statement of the database transaction or its commit sends them. */
@Injectable()
export class TransactionsRepository {
  constructor(@InjectRepository(Transaction) private readonly transactions: Repository<Transaction>) {}

  async findTransactionsPage(userId: string, filter: TransactionsFilter): Promise<Rows<TransactionDetails>> {
    const createdAt = instantsWithin(filter);
    const [rows, total] = await this.transactions.findAndCount({
      comment: PREPARED,
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

  async findRecentTransactions(
    userId: string,
    limit: number,
    manager: EntityManager,
  ): Promise<TransactionDetails[]> {
    if (limit === 0) return []; // TypeORM takes zero for no limit at all
    return manager.find(Transaction, {
      comment: PREPARED,
      where: { userId },
      order: { createdAt: 'desc', id: 'desc' },
      take: limit,
    });
  }

  findTransaction(id: string): Promise<TransactionDetails | null> {
    return this.transactions.findOne({ comment: PREPARED, where: { id } });
  }

  /** The database transaction fails if a reference already has a record of the type. */
  async collectTransactions(tx: Tx, ...updates: TransactionUpdate[]): Promise<void> {
    await collectRows(tx, RECORDS, updates);
  }

  /** Inserts or updates a record. The database transaction fails if the status of a stored record does not allow the verb. */
  async collectTransactionStep(tx: Tx, update: TransactionUpdate): Promise<void> {
    await collectRow(tx, STEPS, update);
  }

  /** Stores block and gas in the existing deposit or withdrawal record with this reference. */
  async collectMined(tx: Tx, reference: TransactionUpdate['reference'], mined: Mined): Promise<void> {
    await collectRow(tx, MINED, { reference, mined });
  }
}

function instantsWithin({ from, to }: Partial<InstantRange>): FindOperator<Date> | undefined {
  if (from && to) return And(MoreThanOrEqual(from), LessThan(to));
  if (from) return MoreThanOrEqual(from);
  return to ? LessThan(to) : undefined;
}

function toRow(update: TransactionUpdate): Record<string, unknown> {
  const { chain, reference, strategy } = update;
  const status = statusAfter(update.verb);
  const at = update.at.toISOString();
  return {
    id: newId(),
    user_id: update.userId,
    type: update.type,
    status,
    amount: update.amount.toString(),
    currency: update.currency,
    balance_change: update.balanceChange.toString(),
    reference_type: reference.type,
    reference_id: reference.id,
    description: update.description,
    from_address: chain?.fromAddress ?? null,
    to_address: chain?.toAddress ?? null,
    tx_hash: chain?.txHash ?? null,
    block_number: chain?.blockNumber ?? null,
    confirmations: chain?.confirmations ?? 0,
    gas_used: chain?.gasUsed ?? null,
    gas_price: chain?.gasPrice ?? null,
    strategy_id: strategy?.id ?? null,
    strategy_name: strategy?.name ?? null,
    created_at: at,
    submitted_at: chain?.submitted ? at : null,
    completed_at: status === 'completed' ? at : null,
    timeline: [{ status, timestamp: at, description: update.stepDescription }],
  };
}
