import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Money } from '../../../common/money.js';
import type { QueueCount } from '../../../lists/queue-totals.js';

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
  readonly status: WaitingStatus | null;
  /** Zero in queues other than that of withdrawals. */
  readonly amount: Money;
}

type StoredCount = Omit<CountedQueue, 'amount'> & { readonly amount: string };

const select = (queue: QueueName, time: string, source: string) =>
  `select '${queue}' as queue, null as status, count(*)::int as count, 0::numeric as amount, min(${time}) as oldest from ${source}`;

/** Each status is a select of its own, which reads the index of the status alone. A failed withdrawal waits for its reversal. */
const selectWithdrawals = WAITING_STATUSES.map((status) => {
  const source = `from withdrawal where status = '${status}'${status === 'failed' ? ' and released_at is null' : ''}`;
  return `select 'withdrawals' as queue, '${status}' as status, count(*)::int as count, coalesce(sum(amount), 0) as amount,
                 (select min(created_at) ${source}) as oldest ${source}`;
}).join(' union all ');

/** The newest verdicts with the result review that no admin has accepted: on users, and on addresses that an open withdrawal waits to pay. */
const REVIEWS = `screening_verdict as verdict
  where verdict = 'review' and accepted_at is null and not outdated
    and not exists (select from screening_verdict as newer where newer.subject = verdict.subject and newer.id > verdict.id)
    and (user_id is not null
         or exists (select from withdrawal
                     where lower(to_address) collate "C" = substr(verdict.subject, length('address:') + 1)
                       and status in ('pending', 'approved')
                       and not exists (select from screening_acceptance as accepted
                                        where accepted.withdrawal_id = withdrawal.id and accepted.subject = verdict.subject)))`;

const SELECT_QUEUE: Record<QueueName, string> = {
  withdrawals: selectWithdrawals,
  alerts: select('alerts', 'created_at', 'alert where resolved_at is null'),
  breaks: select(
    'breaks',
    'made_at',
    `reconciliation_line as line join reconciliation on reconciliation.id = line.reconciliation_id
      where line.status in ('open', 'assigned', 'proposed')`,
  ),
  screening: select('screening', 'screened_at', REVIEWS),
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
