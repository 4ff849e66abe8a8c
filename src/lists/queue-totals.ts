import type { DataSource } from 'typeorm';
import { asOfSql, listTotals } from './list-totals.js';
import { prepared } from '../database/prepared.js';
import { Money } from '../common/money.js';

/** What waits in a queue. */
export interface QueueCount {
  readonly count: number;
  /** Since when the oldest record waits; null without one. */
  readonly oldest: Date | null;
}

/** Totals of all pending rows, which every page of the list shows. */
export interface QueueTotals {
  /** The number of pending rows. */
  readonly total: number;
  readonly amount: Money;
  /** When the oldest pending row was created; null without pending rows. */
  readonly oldest: Date | null;
  /** Whole seconds since the creation; null without pending rows. */
  readonly averageWaitSeconds: number | null;
  /** The time up to which number, amount and wait include every change. */
  readonly asOf: Date;
}

type Row = { total: number; amount: string; oldest: Date | null; seconds: number | null; asOf: Date };

/**
 * Reads the totals of the rows with the status `pending` from the sums of the list, whose `since` is the sum of the times of
 * creation in seconds since 1970.
 */
export async function queueTotals(
  dataSource: DataSource,
  table: 'withdrawal' | 'investment',
  now: Date,
): Promise<QueueTotals> {
  const parameters: unknown[] = [now];
  const pending = listTotals({ list: table, facets: ['pending'] }, parameters);
  const [row] = (await dataSource.query(
    prepared(`
     select coalesce(sum(rows), 0)::int as total, coalesce(sum(amount), 0) as amount,
            (select min(created_at) from ${table} where status = 'pending') as oldest,
            round(extract(epoch from $1::timestamptz) - sum(since) / nullif(sum(rows), 0))::int as seconds,
            ${asOfSql(table)} as "asOf"
       from (${pending}) as totals`),
    parameters,
  )) as [Row];
  return {
    total: row.total,
    amount: Money.of(row.amount),
    oldest: row.oldest,
    averageWaitSeconds: row.seconds,
    asOf: row.asOf,
  };
}
