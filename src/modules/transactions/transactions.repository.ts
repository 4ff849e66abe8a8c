import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, In, LessThan, MoreThanOrEqual, type FindOperator, type Repository } from 'typeorm';
import { newId } from '../../common/ids.js';
import { prepared } from '../../database/prepared.js';
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
import { Transaction } from './entities/transaction.entity.js';
import type { TransactionDetails, TransactionUpdate } from './transactions.types.js';

export interface TransactionsFilter extends Partial<InstantRange> {
  types?: TransactionType[];
  statuses?: TransactionStatus[];
  sortBy: 'createdAt' | 'amount';
  orderBy: 'asc' | 'desc';
  page: number;
  limit: number;
}

const COLUMNS = `id, user_id, type, status, amount, currency, balance_change, reference_type, reference_id, description,
  from_address, to_address, tx_hash, block_number, confirmations, gas_used, gas_price, strategy_id, strategy_name,
  created_at, submitted_at, completed_at, timeline`;

const INSERT = `insert into user_transaction as existing (${COLUMNS})
  select ${COLUMNS} from jsonb_populate_recordset(null::user_transaction, $1)`;

// A repeated step is added to the timeline once. A null of the new step does not erase an address or hash.
const OR_UPDATE = `on conflict on constraint user_transaction_fact do update
  set status = excluded.status, amount = excluded.amount, currency = excluded.currency,
      balance_change = excluded.balance_change, description = excluded.description,
      from_address = coalesce(excluded.from_address, existing.from_address),
      to_address = coalesce(excluded.to_address, existing.to_address),
      tx_hash = coalesce(excluded.tx_hash, existing.tx_hash),
      block_number = excluded.block_number, confirmations = excluded.confirmations,
      gas_used = excluded.gas_used, gas_price = excluded.gas_price,
      submitted_at = coalesce(existing.submitted_at, excluded.submitted_at), completed_at = excluded.completed_at,
      timeline = case when existing.timeline #>> '{-1,description}' = excluded.timeline #>> '{0,description}'
                      then existing.timeline else existing.timeline || excluded.timeline end
  where existing.status = any($2)`;

@Injectable()
export class TransactionsRepository {
  constructor(@InjectRepository(Transaction) private readonly transactions: Repository<Transaction>) {}

  async findTransactionsPage(userId: string, filter: TransactionsFilter): Promise<Rows<TransactionDetails>> {
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

  async findRecentTransactions(userId: string, limit: number): Promise<TransactionDetails[]> {
    if (limit === 0) return []; // TypeORM takes zero for no limit at all
    return this.transactions.find({
      where: { userId },
      order: { createdAt: 'desc', id: 'desc' },
      take: limit,
    });
  }

  findTransaction(id: string): Promise<TransactionDetails | null> {
    return this.transactions.findOneBy({ id });
  }

  /** Inserts records in one statement. Fails if a reference already has a record of the type. */
  async insertTransactions(tx: Tx, ...updates: TransactionUpdate[]): Promise<void> {
    if (updates.length > 0) await tx.query(prepared(INSERT), [JSON.stringify(updates.map(toRow))]);
  }

  /** Inserts or updates a record. Fails if its state does not allow the verb. */
  async upsertTransaction(tx: Tx, update: TransactionUpdate): Promise<void> {
    const written = await tx.query<unknown[]>(prepared(`${INSERT} ${OR_UPDATE} returning existing.id`), [
      JSON.stringify([toRow(update)]),
      statusesBefore(update.verb, update.type),
    ]);
    if (written.length > 0) return;
    const { reference, verb } = update;
    throw new Error(`transaction of ${reference.type} ${reference.id}: its status does not allow ${verb}`);
  }

  /** Stores the block and gas of a transfer whose record exists already. */
  async updateMined(tx: Tx, { type, id }: TransactionUpdate['reference'], mined: Mined): Promise<void> {
    await tx.update(
      Transaction,
      { referenceType: type, referenceId: id, type: In(['deposit', 'withdrawal']) },
      mined,
    );
  }
}

function within({ from, to }: Partial<InstantRange>): FindOperator<Date> | undefined {
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
