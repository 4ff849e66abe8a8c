import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { prepared } from '../../database/prepared.js';
import { offsetOf, type Rows } from '../../http/pagination/page.js';
import { queueTotals, type QueueTotals } from '../../http/pagination/queue-totals.js';
import type { QueueQuery } from '../../http/pagination/queue.query.js';
import { Clock } from '../../kernel/clock.js';
import { startOfDay } from '../../kernel/days.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { MICRO_SCALE, Money } from '../../kernel/money.js';
import { Compliance, NOT_CHECKED } from '../users/compliance.js';
import {
  asAdminWithdrawal,
  asDetail,
  asQueued,
  balanceOf,
  COLUMNS,
  FROM,
  usedSince,
  type AdminWithdrawal,
  type QueuedWithdrawal,
  type Stored,
  type StoredDetail,
  type StoredQueued,
  type WithdrawalDetail,
  type WithdrawalStep,
} from './admin-withdrawals.rows.js';
import { LIMIT_WINDOW_MS } from './withdrawal.records.js';

export interface WithdrawalFilter {
  status?: string | undefined;
  userId?: string | undefined;
  minAmount?: string | undefined;
  createdAfter?: string | undefined;
  sortBy: keyof typeof LIST_ORDER;
  orderBy: 'asc' | 'desc';
  page: number;
  limit: number;
}

export interface ListTotals {
  readonly completedAmount: Money;
  readonly pending: number;
  readonly pendingAmount: Money;
  readonly completedToday: number;
  readonly completedTodayAmount: Money;
  readonly averageAmount: Money;
  /** Whole seconds from request to completion; null when nothing is completed. */
  readonly averageProcessingSeconds: number | null;
}

// The id keeps the order stable; each line has an index of its own.
const QUEUE_ORDER = {
  createdAt: { asc: 'w.created_at, w.id', desc: 'w.created_at desc, w.id desc' },
  amount: { asc: 'w.amount, w.id', desc: 'w.amount desc, w.id desc' },
} as const;
const LIST_ORDER = {
  ...QUEUE_ORDER,
  completedAt: { asc: 'w.completed_at nulls first, w.id', desc: 'w.completed_at desc nulls last, w.id desc' },
} as const;

const LIST_FILTER = `
  ($1::text is null or w.status = $1) and ($2::uuid is null or w.user_id = $2)
  and ($3::numeric is null or w.amount >= $3) and ($4::timestamptz is null or w.created_at >= $4)`;

/** What admins read of withdrawals. A list costs two statements, however long it is. */
@Injectable()
export class AdminWithdrawalQueries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly compliance: Compliance,
  ) {}

  async list(filter: WithdrawalFilter): Promise<Rows<AdminWithdrawal> & { totals: ListTotals }> {
    const { status, userId, minAmount, createdAfter, sortBy, orderBy } = filter;
    const since = createdAfter === undefined ? null : new Date(createdAfter);
    const chosen = [status ?? null, userId ?? null, minAmount ?? null, since];
    const rows = await this.dataSource.query<Stored<AdminWithdrawal>[]>(
      `select ${COLUMNS} from ${FROM} where ${LIST_FILTER}
        order by ${LIST_ORDER[sortBy][orderBy]} limit $5 offset $6`,
      [...chosen, filter.limit, offsetOf(filter)],
    );
    return { rows: rows.map(asAdminWithdrawal), ...(await this.listTotals(chosen)) };
  }

  /** What waits for an operator. */
  async queue(filter: QueueQuery): Promise<{ rows: QueuedWithdrawal[]; totals: QueueTotals }> {
    const now = this.clock.now();
    const rows = await this.dataSource.query<StoredQueued[]>(
      `select ${COLUMNS}, ${usedSince('$1')} as "usedToday",
              ${balanceOf('user.available')} as available, ${balanceOf('user.invested')} as invested
         from ${FROM} where w.status = 'pending'
        order by ${QUEUE_ORDER[filter.sortBy][filter.orderBy]} limit $2 offset $3`,
      [windowBefore(now), filter.limit, offsetOf(filter)],
    );
    const figures = await this.compliance.figuresOf([...new Set(rows.map((row) => row.userId))]);
    return {
      rows: rows.map((row) => asQueued(row, figures.get(row.userId) ?? NOT_CHECKED)),
      totals: await queueTotals(this.dataSource, `withdrawal where status = 'pending'`, now),
    };
  }

  /** One withdrawal as the lists show it; inside `tx` as that transaction sees it. Throws WITHDRAWAL_NOT_FOUND. */
  async get(id: string, tx: EntityManager): Promise<AdminWithdrawal> {
    const [row] = await tx.query<Stored<AdminWithdrawal>[]>(
      prepared(`select ${COLUMNS} from ${FROM} where w.id = $1`),
      [id],
    );
    return row ? asAdminWithdrawal(row) : fail('WITHDRAWAL_NOT_FOUND');
  }

  /** Throws WITHDRAWAL_NOT_FOUND. */
  async detail(id: string): Promise<WithdrawalDetail> {
    const [row] = await this.dataSource.query<StoredDetail[]>(
      `select ${COLUMNS}, ${usedSince('$2')} as "usedToday",
              (select coalesce(sum(paid.amount), 0) from withdrawal as paid
                where paid.user_id = w.user_id and paid.status = 'completed') as "lifetimeWithdrawn"
         from ${FROM} where w.id = $1`,
      [id, windowBefore(this.clock.now())],
    );
    if (!row) fail('WITHDRAWAL_NOT_FOUND');
    const lifecycle = await this.dataSource.query<WithdrawalStep[]>(
      `select event.status, event.verb as action, event.at,
              case event.by_type when 'user' then $2 else event.by_id end as by, event.note
         from withdrawal_event as event where event.withdrawal_id = $1 order by event.id`,
      [id, row.userEmail],
    );
    const figures = await this.compliance.figuresOf([row.userId]);
    return asDetail(row, figures.get(row.userId) ?? NOT_CHECKED, lifecycle);
  }

  private async listTotals(chosen: unknown[]): Promise<{ total: number; totals: ListTotals }> {
    const [row] = await this.dataSource.query<
      {
        total: number;
        amount: string;
        completed: string;
        pending: number;
        pendingAmount: string;
        today: number;
        todayAmount: string;
        seconds: number | null;
      }[]
    >(
      `select count(*)::int as total, coalesce(sum(amount), 0) as amount,
              coalesce(sum(amount) filter (where status = 'completed'), 0) as completed,
              count(*) filter (where status = 'pending')::int as pending,
              coalesce(sum(amount) filter (where status = 'pending'), 0) as "pendingAmount",
              count(*) filter (where completed_at >= $5)::int as today,
              coalesce(sum(amount) filter (where completed_at >= $5), 0) as "todayAmount",
              round(extract(epoch from avg(completed_at - created_at)))::int as seconds
         from withdrawal as w where ${LIST_FILTER}`,
      [...chosen, startOfDay(this.clock.today())],
    );
    const total = row?.total ?? 0;
    const money = (text: string | undefined): Money => Money.of(text ?? '0');
    const average = total === 0 ? Money.ZERO : money(row?.amount).dividedBy(Money.of(String(total)));
    return {
      total,
      totals: {
        completedAmount: money(row?.completed),
        pending: row?.pending ?? 0,
        pendingAmount: money(row?.pendingAmount),
        completedToday: row?.today ?? 0,
        completedTodayAmount: money(row?.todayAmount),
        averageAmount: average.roundHalfEven(MICRO_SCALE),
        averageProcessingSeconds: row?.seconds ?? null,
      },
    };
  }
}

function windowBefore(now: Date): Date {
  return new Date(now.getTime() - LIMIT_WINDOW_MS);
}
