import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { listTotals } from '../../database/list-totals.js';
import { prepared } from '../../database/prepared.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { queueTotals, type QueueTotals } from '../../http/request/queue-totals.js';
import type { QueueQuery } from '../../http/request/queue.query.js';
import { Clock } from '../../common/clock.js';
import { startOfDay } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { ScreeningCompliance } from '../screening/screening-compliance.js';
import { NOT_CHECKED } from '../users/domain/compliance.js';
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
} from './withdrawals.types.js';
import { LIMIT_WINDOW_MS } from './withdrawals.repository.js';

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

interface StoredTotals {
  total: number;
  amount: string;
  completed: string;
  pending: number;
  pendingAmount: string;
  today: number;
  todayAmount: string;
  seconds: number | null;
}

/** Parameters 1 to 4. */
type Text = string | null;
type Chosen = [status: Text, userId: Text, minAmount: Text, createdAfter: Date | null];

/** What admins read of withdrawals. A list costs two statements, however long it is. */
@Injectable()
export class AdminWithdrawalQueries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly compliance: ScreeningCompliance,
  ) {}

  async list(filter: WithdrawalFilter): Promise<Rows<AdminWithdrawal> & { totals: ListTotals }> {
    const { status, userId, minAmount, createdAfter, sortBy, orderBy } = filter;
    const since = createdAfter === undefined ? null : new Date(createdAfter);
    const chosen: Chosen = [status ?? null, userId ?? null, minAmount ?? null, since];
    const rows = await this.dataSource.query<Stored<AdminWithdrawal>[]>(
      `select ${COLUMNS}
         from (select w.id from withdrawal as w where ${LIST_FILTER}
                order by ${LIST_ORDER[sortBy][orderBy]} limit $5 offset $6) as page
         join withdrawal as w using (id) join platform_user as owner on owner.id = w.user_id
        order by ${LIST_ORDER[sortBy][orderBy]}`,
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
         from (select w.id from withdrawal as w where w.status = 'pending'
                order by ${QUEUE_ORDER[filter.sortBy][filter.orderBy]} limit $2 offset $3) as page
         join withdrawal as w using (id) join platform_user as owner on owner.id = w.user_id
        order by ${QUEUE_ORDER[filter.sortBy][filter.orderBy]}`,
      [windowBefore(now), filter.limit, offsetOf(filter)],
    );
    const figures = await this.compliance.figuresOfPayments(rows);
    return {
      rows: rows.map((row, index) => asQueued(row, figures[index] ?? NOT_CHECKED)),
      totals: await queueTotals(this.dataSource, 'withdrawal', now),
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
    const [figures = NOT_CHECKED] = await this.compliance.figuresOfPayments([row]);
    return asDetail(row, figures, lifecycle);
  }

  private async listTotals(chosen: Chosen): Promise<{ total: number; totals: ListTotals }> {
    const [status, userId, minAmount, createdAfter] = chosen;
    const filter = {
      list: 'withdrawal',
      facets: [status],
      rows: { table: 'withdrawal as w', name: 'w', where: LIST_FILTER },
      time: { column: 'w.created_at', from: createdAfter, until: null },
      least: { column: 'w.amount', amount: minAmount },
      alsoByOthers: userId !== null,
    };
    const parameters: unknown[] = [...chosen, startOfDay(this.clock.today())];
    const [row] = await this.dataSource.query<StoredTotals[]>(
      `with completed_today as (
         select count(*)::int as rows, coalesce(sum(amount), 0) as amount
           from withdrawal as w where completed_at >= $5 and ${LIST_FILTER}
       )
       select coalesce(sum(rows), 0)::int as total, coalesce(sum(amount), 0) as amount,
              coalesce(sum(amount) filter (where facets[1] = 'completed'), 0) as completed,
              coalesce(sum(rows) filter (where facets[1] = 'pending'), 0)::int as pending,
              coalesce(sum(amount) filter (where facets[1] = 'pending'), 0) as "pendingAmount",
              (select rows from completed_today) as today, (select amount from completed_today) as "todayAmount",
              round(sum(took) / nullif(sum(rows) filter (where facets[1] = 'completed'), 0))::int as seconds
         from (${listTotals(filter, parameters)}) as kept`,
      parameters,
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
