import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Stored } from '../../../database/columns/money.column.js';
import { listFilter, type ListFilter } from '../../../lists/find-page.js';
import { asOfSql, listTotals } from '../../../lists/list-totals.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../../lists/streaming-reads.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { ListPage, orBeforeAll, orderSql, type ListOrder, type Page } from '../../../lists/list-page.js';
import { hashForms } from '../../providers/chain/domain/transaction-hash.js';
import {
  adminColumns,
  QUEUE_KEYS,
  toAdminWithdrawal,
  WITH_OWNER,
  type AdminRow,
} from './admin-withdrawals.repository.js';
import type { AdminWithdrawalsQuery } from './dto/withdrawals.request.js';
import type {
  AdminWithdrawal,
  PaymentFile,
  PaymentFileLine,
  WithdrawalListTotals,
} from './withdrawals.types.js';

/** Has an index, of which each condition on the time of completion is a range. */
const COMPLETION = orBeforeAll('w.completed_at');
const LIST_KEYS = { ...QUEUE_KEYS, completedAt: [COMPLETION, 'timestamptz'] } as const;

/** Bounds a payment file in JSON. */
const MAX_PAYMENTS = 1_000;
const TAKEN_BY = `
  select w.id, w.amount, w.currency, w.to_address as "toAddress", owner.email as "userEmail", w.executed_at as "takenAt"
    from ${WITH_OWNER} where w.status = 'processing' and w.taken_by = $1 and w.executed_at >= $2 order by w.executed_at, w.id`;

/** `amount`: of all statuses. */
type StoredTotals = Omit<Stored<WithdrawalListTotals>, 'averageAmount'> & { readonly amount: string };

/** The list of withdrawals for admins. A page takes two statements, as in `AdminWithdrawalsRepository`. */
@Injectable()
export class WithdrawalListsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findPage(
    filter: AdminWithdrawalsQuery,
    startOfToday: Date,
  ): Promise<Page<AdminWithdrawal> & { totals: WithdrawalListTotals }> {
    const { where, parameters: values } = conditionsOf(filter);
    const parameters: unknown[] = [...values];
    const page = new ListPage(filter, orderOf(filter), parameters);
    const rows = await this.dataSource.query<AdminRow[]>(
      `select ${adminColumns(this.dataSource)}, ${page.key}
         from (select w.id from withdrawal as w where ${where} and ${page.condition} ${page.orderBy} ${page.limit}) as page
         join withdrawal as w using (id) join platform_user as owner on owner.id = w.user_id
        ${page.orderBy}`,
      parameters,
    );
    const totals = await this.sumWithdrawals(filter, startOfToday);
    return { ...page.cut(rows, (row) => toAdminWithdrawal(this.dataSource, row)), totals };
  }

  /** All withdrawals that the filter selects, in batches. */
  async *streamWithdrawals(
    snapshot: Snapshot,
    filter: AdminWithdrawalsQuery,
  ): AsyncGenerator<AdminWithdrawal[], void> {
    const { where, parameters } = conditionsOf(filter);
    const sql = `select ${adminColumns(this.dataSource)} from ${WITH_OWNER} where ${where} ${orderSql(orderOf(filter))}`;
    for await (const rows of snapshot.batches<AdminRow>(sql, [...parameters], EXPORT_BATCH_ROWS))
      yield rows.map((row) => toAdminWithdrawal(this.dataSource, row));
  }

  /** What an admin has taken, at `takenAfter` or later, and not completed, the newest last. */
  async findTakenBy(email: string, takenAfter?: string): Promise<PaymentFile> {
    const rows = await this.dataSource.query<Stored<PaymentFileLine>[]>(
      `${TAKEN_BY} limit ${MAX_PAYMENTS + 1}`,
      [email, toInstant(takenAfter) ?? '-infinity'],
    );
    const lines = rows.slice(0, MAX_PAYMENTS).map(toPaymentFileLine);
    return { lines, hasMore: rows.length > MAX_PAYMENTS };
  }

  /** As `findTakenBy`, all in batches. */
  async *streamTakenBy(
    snapshot: Snapshot,
    email: string,
    takenAfter?: string,
  ): AsyncGenerator<PaymentFileLine[], void> {
    const values = [email, toInstant(takenAfter) ?? '-infinity'];
    const batches = snapshot.batches<Stored<PaymentFileLine>>(TAKEN_BY, values, EXPORT_BATCH_ROWS);
    for await (const rows of batches) yield rows.map(toPaymentFileLine);
  }

  private async sumWithdrawals(
    filter: AdminWithdrawalsQuery,
    startOfToday: Date,
  ): Promise<WithdrawalListTotals> {
    const { status, chainCheck, createdAfter, createdBefore, ...others } = filter;
    const { where, parameters: values } = conditionsOf(filter);
    const totals = {
      list: 'withdrawal' as const,
      facets: [status ?? null, chainCheck ?? null],
      rows: { table: 'withdrawal as w', name: 'w', where },
      time: {
        column: 'w.created_at',
        from: toInstant(createdAfter) ?? null,
        until: toInstant(createdBefore) ?? null,
      },
      // No sums are kept by the other conditions.
      hasOtherConditions: status === 'cancelled' || conditionsOf(others).parameters.length > 0,
    };
    const parameters: unknown[] = [...values];
    const today = `$${parameters.push(startOfToday)}`;
    // `took`: the seconds from the request to the completion.
    const [row] = await this.dataSource.query<[StoredTotals]>(
      `with completed_today as (
         select count(*)::int as rows, coalesce(sum(amount), 0) as amount
           from withdrawal as w where ${COMPLETION} >= ${today} and ${where}
       )
       select coalesce(sum(rows), 0)::int as total, coalesce(sum(amount), 0) as amount,
              coalesce(sum(amount) filter (where facets[1] = 'completed'), 0) as "completedAmount",
              coalesce(sum(rows) filter (where facets[1] = 'pending'), 0)::int as pending,
              coalesce(sum(amount) filter (where facets[1] = 'pending'), 0) as "pendingAmount",
              (select rows from completed_today) as "completedToday",
              (select amount from completed_today) as "completedTodayAmount",
              round(sum(took) / nullif(sum(rows) filter (where facets[1] = 'completed'), 0))::int as "averageProcessingSeconds",
              ${asOfSql('withdrawal')} as "asOf"
         from (${listTotals(totals, parameters)}) as totals`,
      parameters,
    );
    const { amount, ...figures } = row;
    const count = Money.of(String(figures.total));
    const average = count.isZero() ? Money.ZERO : Money.of(amount).dividedBy(count);
    return {
      ...figures,
      completedAmount: Money.of(figures.completedAmount),
      pendingAmount: Money.of(figures.pendingAmount),
      completedTodayAmount: Money.of(figures.completedTodayAmount),
      averageAmount: average.roundHalfEven(MICRO_SCALE),
    };
  }
}

/** SQL conditions over a withdrawal `w`. Each has an index. */
function conditionsOf(filter: Partial<AdminWithdrawalsQuery>): ListFilter {
  const { status, txHash } = filter;
  const isCancelled = status === 'cancelled';
  return listFilter(
    ['w.status = ?', isCancelled ? undefined : status],
    ['(w.cancelled_at is not null) = ?', isCancelled || undefined],
    ['w.user_id = ?', filter.userId],
    ['w.amount >= ?', filter.minAmount],
    ['w.created_at >= ?', toInstant(filter.createdAfter)],
    ['w.created_at < ?', toInstant(filter.createdBefore)],
    ['w.taken_by = ?', filter.takenBy],
    ['w.executed_at >= ?', toInstant(filter.takenAfter)],
    ['w.executed_at < ?', toInstant(filter.takenBefore)],
    ['w.completed_by = ?', filter.completedBy],
    [`${COMPLETION} >= ?`, toInstant(filter.completedAfter)],
    [`${COMPLETION} > '-infinity' and ${COMPLETION} < ?`, toInstant(filter.completedBefore)],
    ['w.tx_hash = any(?)', txHash === undefined ? undefined : hashForms(txHash.trim().toLowerCase())],
    ['lower(w.to_address) collate "C" = lower(?)', filter.toAddress],
    ['w.chain_check = ?', filter.chainCheck],
  );
}

function toPaymentFileLine(row: Stored<PaymentFileLine>): PaymentFileLine {
  return { ...row, amount: Money.of(row.amount) };
}

function toInstant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

function orderOf({ sortBy, orderBy }: Pick<AdminWithdrawalsQuery, 'sortBy' | 'orderBy'>): ListOrder {
  return { keys: [LIST_KEYS[sortBy], ['w.id', 'uuid']], direction: orderBy };
}
