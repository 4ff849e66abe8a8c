import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Money } from '../../../common/money.js';
import type { QueueCount } from '../../../lists/queue-totals.js';
import { openReviews } from '../../identity/screening/screening.repository.js';

export const QUEUES = [
  'withdrawals',
  'alerts',
  'breaks',
  'screening',
  'yieldReports',
  'investments',
  'transfers',
] as const;
export type QueueName = (typeof QUEUES)[number];

const WAITING_STATUSES = ['pending', 'approved', 'processing', 'failed'] as const;
export type WaitingStatus = (typeof WAITING_STATUSES)[number];

/** The count of a queue; the queue of withdrawals has one for each status. */
export interface CountedQueue extends QueueCount {
  readonly queue: QueueName;
  /** Null in queues other than that of withdrawals. */
  readonly status: WaitingStatus | null;
  /** Zero in queues other than that of withdrawals. */
  readonly amount: Money;
}

type StoredCount = Omit<CountedQueue, 'amount'> & { readonly amount: string };

const select = (queue: QueueName, time: string, source: string) =>
  `select '${queue}' as queue, null as status, count(*)::int as count, 0::numeric as amount, min(${time}) as oldest from ${source}`;

/**
 * Each status is a select of its own: an index by status and amount has number and sum, and the first entry of the index by status and
 * time is the oldest withdrawal. A failed withdrawal waits for its reversal.
 */
const selectWithdrawals = WAITING_STATUSES.map((status) => {
  const source = `from withdrawal where status = '${status}'${status === 'failed' ? ' and released_at is null' : ''}`;
  return `select 'withdrawals' as queue, '${status}' as status, count(*)::int as count, coalesce(sum(amount), 0) as amount,
                 (select min(created_at) ${source}) as oldest ${source}`;
}).join(' union all ');

const SELECT_QUEUE: Record<QueueName, string> = {
  withdrawals: selectWithdrawals,
  alerts: select('alerts', 'created_at', 'alert where resolved_at is null'),
  breaks: select(
    'breaks',
    'made_at',
    `reconciliation_line as line join reconciliation on reconciliation.id = line.reconciliation_id
      where line.status in ('open', 'assigned', 'proposed')`,
  ),
  screening: select(
    'screening',
    'screened_at',
    openReviews('withdrawal', `status in ('pending', 'approved')`),
  ),
  yieldReports: select('yieldReports', 'reported_at', `yield_report where state = 'waiting'`),
  investments: select('investments', 'created_at', `investment where status = 'pending'`),
  transfers: select('transfers', 'created_at', `transaction_request where status = 'pending'`),
};

/** Counts records of the modules withdrawals, alerts, reconciliation, screening, strategies, investments and treasury. */
@Injectable()
export class QueuesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async countQueues(queues: readonly QueueName[]): Promise<CountedQueue[]> {
    if (queues.length === 0) return [];
    const sql = queues.map((queue) => SELECT_QUEUE[queue]).join(' union all ');
    const rows = await this.dataSource.query<StoredCount[]>(sql);
    return rows.map((row) => ({ ...row, amount: Money.of(row.amount) }));
  }
}
