import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan, Not, type EntityManager } from 'typeorm';
import { boundedCount, countFromTotals, countRows } from '../../../lists/count-rows.js';
import { markHours, markRecord } from '../../../lists/total-marks.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../../lists/streaming-reads.js';
import { insertRow, lockRow, updateRow } from '../../../database/entity-rows.js';
import { lockName } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import { orderSql } from '../../../lists/list-page.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import type { UnverifiedHash } from '../../providers/chain/transaction-lookup.service.js';
import { NOT_MINED } from '../../providers/chain/chain.client.js';
import { PLATFORM, USDC } from '../../core/ledger/domain/chart-of-accounts.js';
import { userColumn } from '../../identity/users/users.repository.js';
import type { AdminTransactionStatus } from './domain/admin-transaction.js';
import { SETTLEMENT_NETWORK } from './domain/transfer-plan.js';
import type { AdminTransactionsQuery } from './dto/admin-transactions.request.js';
import { AdminTransaction } from './entities/treasury.entity.js';
import {
  filterParameters,
  NEWEST_FIRST,
  selectPage,
  TRANSACTION_FILTER,
} from './transaction-pages.repository.js';
import {
  TOKENS_TAKEN_BACK,
  type AdminPart,
  type AdminTransactionChanges,
  type AdminTransactionDetails,
  type CreditedDeposit,
  type ListedTransaction,
  type NewAdminTransaction,
  type TokensTakenBack,
} from './treasury.types.js';

type Stored<Row> = Omit<Row, 'amount' | 'blockNumber' | 'balanceChange'> &
  Record<'amount', string> &
  Record<'blockNumber' | 'balanceChange', string | null>;

/** `rejectedAt` is a column of its own, because the driver does not parse times inside JSON. */
type StoredDetails = Stored<Omit<AdminTransactionDetails, 'byAdmins'>> & {
  byAdmins: Omit<AdminPart, 'rejectedAt'> | null;
  rejectedAt: Date | null;
};

const LIST_COLUMNS = `
  shown.id, shown.user_id as "userId", ${userColumn('shown.user_id', 'email')} as "userEmail", shown.type, shown.amount, shown.currency,
  shown.status, shown.tx_hash as "txHash", shown.block_number as "blockNumber", shown.confirmations,
  shown.created_at as "createdAt", shown.confirmed_at as "confirmedAt", shown.processed_at as "processedAt",
  coalesce(own.type, shown.type) as kind, own.balance_change as "balanceChange", shown.description,
  coalesce(own.status = 'cancelled', false) as cancelled,
  case when own.id is not null then jsonb_build_object(
    'type', case own.reference_type when 'admin-transaction' then 'transaction' else own.reference_type end,
    'id', split_part(own.reference_id, ':', 1))
  end as record`;
// `own`: a user's record, of the module transactions.
const LIST_JOINS = ' left join user_transaction as own on own.id = shown.id';

const SELECT_DETAILS = `
  select ${LIST_COLUMNS}, shown.from_address as "fromAddress", shown.to_address as "toAddress",
         shown.gas_used as "gasUsed", shown.gas_price as "gasPrice",
         case when by_admin.id is not null then jsonb_build_object(
           'withdrawalId', by_admin.withdrawal_id, 'depositId', by_admin.deposit_id,
           'fromSuspense', by_admin.from_suspense, 'purpose', by_admin.purpose,
           'network', by_admin.network, 'strategyId', by_admin.strategy_id, 'createdBy', by_admin.created_by,
           'approvedBy', by_admin.approved_by, 'confirmedBy', by_admin.confirmed_by, 'rejectedBy', by_admin.rejected_by,
           'reason', by_admin.reason, 'chainCheck', by_admin.chain_check, 'requestId', request.id)
         end as "byAdmins", by_admin.rejected_at as "rejectedAt"
    from admin_transaction_list as shown${LIST_JOINS}
    left join admin_transaction as by_admin on by_admin.id = shown.id
    left join transaction_request as request on request.transaction_id = by_admin.id`;

/** SQL: the number of admin transactions whose payment the chain refutes. */
export const REFUTED_TRANSACTIONS = boundedCount(`admin_transaction where chain_check = 'mismatch'`);

/** Admin transactions, and the admins' list, which also shows the transactions of users. */
@Injectable()
export class AdminTransactionsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The transactions of users and of admins, newest first. */
  async findPage(filter: AdminTransactionsQuery): Promise<Rows<ListedTransaction>> {
    const { page, sql, parameters } = selectPage(filter);
    const rows = await this.dataSource.query<Stored<ListedTransaction>[]>(
      `select ${LIST_COLUMNS}, ${page.key} from (${sql}) as shown${LIST_JOINS} ${page.orderBy}`,
      parameters,
    );
    return { ...page.cut(rows, toListed), ...(await this.countTransactions(filter)) };
  }

  /** All transactions that the filter selects, in batches, newest first. */
  async *streamTransactions(
    snapshot: Snapshot,
    filter: AdminTransactionsQuery,
  ): AsyncGenerator<ListedTransaction[], void> {
    const sql = `select ${LIST_COLUMNS}
       from (select * from admin_transaction_list where ${TRANSACTION_FILTER}) as shown${LIST_JOINS} ${orderSql(NEWEST_FIRST)}`;
    const batches = snapshot.batches<Stored<ListedTransaction>>(
      sql,
      filterParameters(filter),
      EXPORT_BATCH_ROWS,
    );
    for await (const rows of batches) yield rows.map(toListed);
  }

  /** Throws TRANSACTION_NOT_FOUND. */
  async getDetails(
    id: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<AdminTransactionDetails> {
    const [row] = await manager.query<StoredDetails[]>(`${SELECT_DETAILS} where shown.id = $1`, [id]);
    return row ? toDetails(row) : throwError('TRANSACTION_NOT_FOUND');
  }

  /** The transfers that a treasury run created. */
  async findTransfersOfRun(tx: Tx, runId: string): Promise<AdminTransactionDetails[]> {
    const rows = await tx.query<StoredDetails[]>(
      `${SELECT_DETAILS} where shown.id in (select id from admin_transaction where run_id = $1) order by shown.id`,
      [runId],
    );
    return rows.map(toDetails);
  }

  /** Returns the id of the transaction. */
  insertTransaction(tx: Tx, input: NewAdminTransaction, createdBy: string, createdAt: Date): string {
    const id = newId();
    insertRow(tx, AdminTransaction, {
      fromSuspense: false,
      ...input,
      ...NOT_MINED,
      id,
      status: 'pending',
      currency: USDC,
      createdAt,
      createdBy,
    });
    markHours(tx, 'transaction', createdAt);
    return id;
  }

  /** Throws TRANSACTION_NOT_FOUND. */
  async lockTransaction(tx: Tx, id: string): Promise<AdminTransaction> {
    return (await lockRow(tx, AdminTransaction, id)) ?? throwError('TRANSACTION_NOT_FOUND');
  }

  /** Changes the locked row and the entity. The caller has checked the transition. No other method changes a status. */
  updateStatus(
    tx: Tx,
    transaction: AdminTransaction,
    status: AdminTransactionStatus,
    changes: AdminTransactionChanges,
  ): void {
    Object.assign(transaction, changes, { status });
    updateRow(tx, AdminTransaction, transaction.id, { ...changes, status });
    markHours(tx, 'transaction', transaction.createdAt);
  }

  /** The caller has locked the row. */
  updateChainCheck(tx: Tx, id: string, changes: AdminTransactionChanges): void {
    updateRow(tx, AdminTransaction, id, changes);
    markRecord(tx, 'transaction', id);
  }

  /** True if a reversal of the withdrawal is in progress or confirmed. The caller has locked the withdrawal. */
  async hasReversal(tx: Tx, withdrawalId: string): Promise<boolean> {
    return tx.existsBy(AdminTransaction, { withdrawalId, type: 'reversal', status: Not('failed') });
  }

  /** Locks and reads a deposit of the module deposits. All reversals of a deposit together take back at most the credited amount. */
  async lockCreditedDeposit(tx: Tx, id: string): Promise<CreditedDeposit> {
    // Two statements: only the second one sees the reversals of transactions for which the lock has waited.
    await tx.query('select from deposit where id = $1 for update', [id]);
    const [row] = await tx.query<(Omit<CreditedDeposit, 'remaining'> & { remaining: string })[]>(
      `select user_id as "userId", status, currency,
              coalesce(credited, 0) - (select coalesce(sum(amount), 0) from admin_transaction
                                        where deposit_id = deposit.id and status <> 'failed') as remaining
         from deposit where id = $1`,
      [id],
    );
    return row ? { ...row, remaining: Money.of(row.remaining) } : throwError('DEPOSIT_NOT_FOUND');
  }

  /** The tokens that a reversal with a deposit takes back. Reads `deposit` of the module deposits. */
  async getTokensTakenBack(tx: Tx, id: string): Promise<TokensTakenBack> {
    const [row] = await tx.query<[Omit<TokensTakenBack, 'tokens'> & { tokens: string }]>(
      `select deposit.network, deposit.currency as asset, ${TOKENS_TAKEN_BACK} as tokens
         from admin_transaction as booked join deposit on deposit.id = booked.deposit_id where booked.id = $1`,
      [id],
    );
    return { ...row, tokens: Money.of(row.tokens) };
  }

  /** ERC20 transactions that were confirmed after `confirmedAfter` and whose hash is unverified, the oldest check first. */
  async findUnverifiedHashes(confirmedAfter: Date, limit: number): Promise<UnverifiedHash[]> {
    const transactions = await this.dataSource.manager.find(AdminTransaction, {
      select: { id: true, txHash: true },
      where: {
        chainCheck: 'unverified',
        network: SETTLEMENT_NETWORK,
        confirmedAt: MoreThan(confirmedAfter),
      },
      order: { chainCheckedAt: 'ASC', id: 'ASC' },
      take: limit,
    });
    return transactions.map(({ id, txHash }) => ({ id, txHash: txHash as string }));
  }

  /**
   * USDC in suspense beyond the deposits that are held below the minimum, whose dust is in another account. Concurrent callers
   * wait until `tx` ends. Reads the ledger and `deposit` of the module deposits.
   */
  async lockOwnerlessSuspense(tx: Tx): Promise<Money> {
    await lockName(tx, 'suspense');
    const [row] = await tx.query<{ unclaimed: string }[]>(
      `select coalesce((select sum(entry.amount) from ledger_entry as entry
                          join ledger_account as account on account.id = entry.account_id
                         where account.kind = 'suspense' and account.asset = 'USDC'
                           and account.owner_id = '${PLATFORM}'), 0)
            - coalesce((select sum(trunc(amount, ${MICRO_SCALE})) from deposit
                         where hold_reason = 'BELOW_MINIMUM' and currency = 'USDC'), 0) as unclaimed`,
    );
    return Money.of(row?.unclaimed ?? '0');
  }

  /** Counts the rows of a user, since sums are not kept by user, and of a period: totals of a period need one table, and the list has two. */
  private async countTransactions(filter: AdminTransactionsQuery): Promise<{ total: number; asOf?: Date }> {
    const { type, status, userId, chainCheck, createdAfter, createdBefore } = filter;
    if (userId ?? createdAfter ?? createdBefore) {
      const listed = `admin_transaction_list where ${TRANSACTION_FILTER}`;
      return { total: await countRows(this.dataSource, listed, filterParameters(filter)) };
    }
    const facets = [status ?? null, type ?? null, chainCheck ?? null];
    return countFromTotals(this.dataSource, { list: 'transaction', facets });
  }
}

function toListed<Row extends Stored<object>>(row: Row) {
  const blockNumber = row.blockNumber === null ? null : Number(row.blockNumber);
  const balanceChange = row.balanceChange === null ? null : Money.of(row.balanceChange);
  return { ...row, amount: Money.of(row.amount), blockNumber, balanceChange };
}

function toDetails({ byAdmins, rejectedAt, ...row }: StoredDetails): AdminTransactionDetails {
  return { ...toListed(row), byAdmins: byAdmins && { ...byAdmins, rejectedAt } };
}
