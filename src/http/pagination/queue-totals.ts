import type { DataSource } from 'typeorm';
import { Money } from '../../kernel/money.js';

/** Figures of all that waits, on every page. */
export interface QueueTotals {
  readonly total: number;
  readonly amount: Money;
  readonly oldest: Date | null;
  /** Whole seconds; null when nothing waits. */
  readonly averageWaitSeconds: number | null;
}

type Row = { total: number; amount: string; oldest: Date | null; seconds: number | null };

/** `waiting` is SQL: a table that has `amount` and `created_at`, and which of its rows wait. */
export async function queueTotals(dataSource: DataSource, waiting: string, now: Date): Promise<QueueTotals> {
  const [row] = (await dataSource.query(
    `select count(*)::int as total, coalesce(sum(amount), 0) as amount, min(created_at) as oldest,
            round(extract(epoch from avg($1::timestamptz - created_at)))::int as seconds
       from ${waiting}`,
    [now],
  )) as [Row];
  return {
    total: row.total,
    amount: Money.of(row.amount),
    oldest: row.oldest,
    averageWaitSeconds: row.seconds,
  };
}

export function queueSummary({ total, amount, oldest, averageWaitSeconds }: QueueTotals) {
  return {
    totalPending: total,
    totalPendingValue: amount.toWire(),
    oldestPending: oldest?.toISOString() ?? null,
    averageWaitTime: averageWaitSeconds,
  };
}
