import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { newId } from '../../../common/ids.js';
import { languageOf } from '../../../common/message-texts.js';
import { entityColumns, entityOf, findRows, insertRow } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import { write } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import type { InstantRange } from '../../../http/request/date-range.js';
import type { Rows } from '../../../http/request/pagination.js';
import { countListed, countOf, findPage, listFilter } from '../../../lists/find-page.js';
import type { ListOrder, PageRequest, SortKey } from '../../../lists/list-page.js';
import { languageColumn } from '../../identity/users/users.repository.js';
import type { Mined } from '../../providers/chain/chain.client.js';
import {
  statusAfter,
  statusesBefore,
  type TransactionStatus,
  type TransactionType,
} from './domain/transaction-kinds.js';
import type { TransactionUpdate } from './domain/transaction-projection.js';
import { Transaction, type OwnTransaction, type TransactionDetails } from './entities/transaction.entity.js';

export interface TransactionsFilter extends Partial<InstantRange>, PageRequest {
  types: TransactionType[] | undefined;
  statuses: TransactionStatus[] | undefined;
  sortBy: 'createdAt' | 'amount';
  orderBy: 'asc' | 'desc';
}

const SORT_KEYS: Record<TransactionsFilter['sortBy'], SortKey> = {
  createdAt: ['created_at', 'timestamptz'],
  amount: ['amount', 'numeric'],
};

type OwnRow = object & { readonly language: string | null };

/**
 * The changes of a record by its next step. A status that does not allow the step becomes null, which its column refuses. A repeated
 * step is added to the timeline once. A null of the new step does not erase an address or hash.
 */
function nextStep(allowedFrom: readonly TransactionStatus[]): string {
  const statuses = allowedFrom.map((status) => `'${status}'`).join(', ');
  return `on conflict on constraint user_transaction_fact do update
     set status = case when user_transaction.status in (${statuses}) then excluded.status end,
         amount = excluded.amount, currency = excluded.currency, balance_change = excluded.balance_change,
         description = excluded.description,
         from_address = coalesce(excluded.from_address, user_transaction.from_address),
         to_address = coalesce(excluded.to_address, user_transaction.to_address),
         tx_hash = coalesce(excluded.tx_hash, user_transaction.tx_hash), block_number = excluded.block_number,
         confirmations = excluded.confirmations, gas_used = excluded.gas_used, gas_price = excluded.gas_price,
         submitted_at = coalesce(user_transaction.submitted_at, excluded.submitted_at),
         completed_at = excluded.completed_at,
         timeline = case when user_transaction.timeline #>> '{-1,description}' = excluded.timeline #>> '{0,description}'
                         then user_transaction.timeline else user_transaction.timeline || excluded.timeline end`;
}

/** SQL: the number of a user's transactions, or of those in a status. `userId` is SQL, too. */
export function transactionCount(userId: string, status?: TransactionStatus): string {
  const inStatus = status ? ` and status = '${status}'` : '';
  return `(select count(*)::int from user_transaction where user_id = ${userId}${inStatus})`;
}

@Injectable()
export class TransactionsRepository {
  constructor(@InjectRepository(Transaction) private readonly transactions: Repository<Transaction>) {}

  async findTransactionsPage(userId: string, filter: TransactionsFilter): Promise<Rows<OwnTransaction>> {
    const { manager } = this.transactions;
    const selected = listFilter(
      ['user_id = ?', userId],
      ['type = any(?)', filter.types],
      ['status = any(?)', filter.statuses],
      ['created_at >= ?', filter.from],
      ['created_at < ?', filter.to],
    );
    const source = { ...selected, columns: this.ownColumns, from: 'user_transaction', isPrepared: true };
    const order: ListOrder = { keys: [SORT_KEYS[filter.sortBy], ['id', 'uuid']], direction: filter.orderBy };
    const page = await findPage(manager, source, order, filter, (row: OwnRow) => this.toOwnTransaction(row));
    return { ...page, total: countOf(page, filter) ?? (await countListed(manager, source)) };
  }

  /** Without the language, so that the dashboard shows them while the users cannot be read. */
  findRecentTransactions(
    userId: string,
    limit: number,
    manager: EntityManager = this.transactions.manager,
  ): Promise<TransactionDetails[]> {
    const newest = 'where user_id = $1 order by created_at desc, id desc limit $2';
    return findRows(manager, Transaction, newest, [userId, limit]);
  }

  async findTransaction(id: string): Promise<OwnTransaction | undefined> {
    const [row] = await this.transactions.query<OwnRow[]>(
      prepared(`select ${this.ownColumns} from user_transaction where id = $1`),
      [id],
    );
    return row && this.toOwnTransaction(row);
  }

  private get ownColumns(): string {
    const columns = entityColumns(this.transactions.manager.connection, Transaction, 'user_transaction');
    return `${columns}, ${languageColumn('user_transaction.user_id')}`;
  }

  private toOwnTransaction(row: OwnRow): OwnTransaction {
    const record = entityOf<Transaction>(this.transactions.manager.connection, Transaction, row);
    return { ...record, language: languageOf(row.language ?? '') };
  }

  /** The database transaction fails if a reference already has a record of the type. */
  insertTransactions(tx: Tx, ...updates: TransactionUpdate[]): void {
    for (const update of updates) insertRow(tx, Transaction, recordOf(update));
  }

  /** Inserts or updates a record. The database transaction fails if the status of a stored record does not allow the verb. */
  upsertTransaction(tx: Tx, update: TransactionUpdate): void {
    insertRow(tx, Transaction, recordOf(update), nextStep(statusesBefore(update.verb, update.type)));
  }

  /** Stores block and gas in the existing deposit or withdrawal record with this reference. */
  updateMined(tx: Tx, reference: TransactionUpdate['reference'], mined: Mined): void {
    write(
      tx,
      `update user_transaction set block_number = $3, confirmations = $4, gas_used = $5, gas_price = $6
        where reference_type = $1 and reference_id = $2 and type in ('deposit', 'withdrawal')`,
      [reference.type, reference.id, mined.blockNumber, mined.confirmations, mined.gasUsed, mined.gasPrice],
    );
  }
}

function recordOf(update: TransactionUpdate): Transaction {
  const { chain, reference, strategy, at } = update;
  const status = statusAfter(update.verb);
  return {
    id: newId(),
    userId: update.userId,
    type: update.type,
    status,
    amount: update.amount,
    currency: update.currency,
    balanceChange: update.balanceChange,
    referenceType: reference.type,
    referenceId: reference.id,
    description: update.description,
    fromAddress: chain?.fromAddress ?? null,
    toAddress: chain?.toAddress ?? null,
    txHash: chain?.txHash ?? null,
    blockNumber: chain?.blockNumber ?? null,
    confirmations: chain?.confirmations ?? 0,
    gasUsed: chain?.gasUsed ?? null,
    gasPrice: chain?.gasPrice ?? null,
    strategyId: strategy?.id ?? null,
    strategyName: strategy?.name ?? null,
    createdAt: at,
    submittedAt: chain?.submitted ? at : null,
    completedAt: status === 'completed' ? at : null,
    timeline: [{ status, timestamp: at.toISOString(), description: update.stepDescription }],
  };
}
