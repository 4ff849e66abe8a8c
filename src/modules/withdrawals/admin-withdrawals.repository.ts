import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { asOfSql, listTotals } from '../../lists/list-totals.js';
import { prepared } from '../../database/prepared.js';
import type { Snapshot } from '../../database/snapshots.js';
import { EXPORT_BATCH_ROWS } from '../../lists/streaming-reads.js';
import { queueTotals, type QueueTotals } from '../../lists/queue-totals.js';
import { read } from '../../database/statements.js';
import type { Tx } from '../../database/tx.js';
import { fail } from '../../common/errors/domain-error.js';
import { isId } from '../../common/ids.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { cutPage, offsetOf } from '../../http/request/pagination.js';
import type { QueueQuery } from '../../http/request/queue.query.js';
import { windowStart } from './domain/daily-limit.js';
import type { WithdrawalStatus } from './domain/withdrawal.state-machine.js';
import { WithdrawalStep } from './entities/withdrawal-step.entity.js';
import { IS_PAUSED } from './withdrawal-pauses.repository.js';
import { usedOfDailyLimit } from './withdrawals.repository.js';
import type {
  AdminWithdrawal,
  QueuedWithdrawal,
  WithdrawalDetail,
  WithdrawalListTotals,
  WithdrawalOwner,
} from './withdrawals.types.js';

export interface WithdrawalFilter {
  readonly status?: string | undefined;
  readonly userId?: string | undefined;
  readonly minAmount?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly chainCheck?: string | undefined;
  readonly sortBy: keyof typeof LIST_ORDER;
  readonly orderBy: 'asc' | 'desc';
  readonly page: number;
  readonly limit: number;
}

/** The state of a withdrawal before screening, read without a lock. */
export interface ScreeningCandidate {
  readonly id: string;
  readonly status: WithdrawalStatus;
  readonly userId: string;
  readonly toAddress: string;
  readonly userStatus: string;
  /** True while all withdrawals are paused. */
  readonly isPaused: boolean;
}

// The id makes the order unique; each order has an index.
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
  and ($3::numeric is null or w.amount >= $3) and ($4::timestamptz is null or w.created_at >= $4)
  and ($5::text is null or w.chain_check = $5)`;

/** Columns of an `AdminWithdrawal`. Reads `platform_user` of the users module, `first_wallet` of the wallets module. */
const COLUMNS = `
  w.id, w.user_id as "userId", owner.email as "userEmail", owner.status as "userStatus", owner.created_at as "accountCreatedAt",
  first_wallet(w.user_id) as "walletAddress", w.amount, w.currency, w.to_address as "toAddress",
  w.address_checksum as "addressChecksum", w.status, w.created_at as "createdAt",
  w.approved_at as "approvedAt", w.approved_by as "approvedBy", w.executed_at as "executedAt",
  w.completed_at as "completedAt", w.cancelled_at as "cancelledAt", w.tx_hash as "txHash", w.chain_check as "chainCheck",
  w.chain_check_reason as "chainCheckReason",
  w.released_at as "releasedAt", w.note`;

const WITH_OWNER = 'withdrawal as w join platform_user as owner on owner.id = w.user_id';

/** SQL for a balance of the withdrawal's owner. Reads `ledger_account` of the ledger module. */
function balanceOf(kind: 'user.available' | 'user.invested'): string {
  return `coalesce((select balance from ledger_account
            where owner_id = w.user_id and kind = '${kind}' and scope = '' and asset = 'USDC'), 0)`;
}

/** A row as the driver returns it: money is text. */
type Stored<Row> = { [Field in keyof Row]: Row[Field] extends Money ? string : Row[Field] };

type Text = string | null;

/** The parameters of `LIST_FILTER`. */
type FilterValues = [
  status: Text,
  userId: Text,
  minAmount: Text,
  createdAfter: Date | null,
  chainCheck: Text,
];

interface StoredTotals {
  total: number;
  amount: string;
  completed: string;
  pending: number;
  pendingAmount: string;
  today: number;
  todayAmount: string;
  seconds: number | null;
  asOf: Date;
}

/**
 * Withdrawals as admins read them. A list takes two statements: its totals, and its page, which first finds the ids, so
 * that the subqueries of the columns run for the rows of the page only.
 */
@Injectable()
export class AdminWithdrawalsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findPage(
    filter: WithdrawalFilter,
    startOfToday: Date,
  ): Promise<{ rows: AdminWithdrawal[]; hasNext: boolean; totals: WithdrawalListTotals }> {
    const { sortBy, orderBy } = filter;
    const values = valuesOf(filter);
    const rows = await this.dataSource.query<Stored<AdminWithdrawal>[]>(
      `select ${COLUMNS}
         from (select w.id from withdrawal as w where ${LIST_FILTER}
                order by ${LIST_ORDER[sortBy][orderBy]} limit $6 offset $7) as page
         join withdrawal as w using (id) join platform_user as owner on owner.id = w.user_id
        order by ${LIST_ORDER[sortBy][orderBy]}`,
      [...values, filter.limit + 1, offsetOf(filter)],
    );
    const totals = await this.sumWithdrawals(values, startOfToday);
    return { ...cutPage(rows.map(toAdminWithdrawal), filter.limit), totals };
  }

  /** All withdrawals that the filter selects, in batches. */
  async *streamWithdrawals(
    snapshot: Snapshot,
    filter: WithdrawalFilter,
  ): AsyncGenerator<AdminWithdrawal[], void> {
    const sql = `select ${COLUMNS} from ${WITH_OWNER} where ${LIST_FILTER}
                  order by ${LIST_ORDER[filter.sortBy][filter.orderBy]}`;
    const batches = snapshot.batches<Stored<AdminWithdrawal>>(sql, valuesOf(filter), EXPORT_BATCH_ROWS);
    for await (const rows of batches) yield rows.map(toAdminWithdrawal);
  }

  /** Pending withdrawals, and the totals of all of them. */
  async findQueue(
    filter: QueueQuery,
    now: Date,
  ): Promise<{ rows: QueuedWithdrawal[]; hasNext: boolean; totals: QueueTotals }> {
    const rows = await this.dataSource.query<Stored<QueuedWithdrawal>[]>(
      prepared(`
       select ${COLUMNS}, ${usedOfDailyLimit('w.user_id', '$1')} as "usedToday",
              ${balanceOf('user.available')} as available, ${balanceOf('user.invested')} as invested
         from (select w.id from withdrawal as w where w.status = 'pending'
                order by ${QUEUE_ORDER[filter.sortBy][filter.orderBy]} limit $2 offset $3) as page
         join withdrawal as w using (id) join platform_user as owner on owner.id = w.user_id
        order by ${QUEUE_ORDER[filter.sortBy][filter.orderBy]}`),
      [windowStart(now), filter.limit + 1, offsetOf(filter)],
    );
    const queued = rows.map((row) => ({
      ...row,
      amount: Money.of(row.amount),
      usedToday: Money.of(row.usedToday),
      available: Money.of(row.available),
      invested: Money.of(row.invested),
    }));
    const totals = await queueTotals(this.dataSource, 'withdrawal', now);
    return { ...cutPage(queued, filter.limit), totals };
  }

  /** The user of a withdrawal. Throws WITHDRAWAL_NOT_FOUND. */
  async getOwner(tx: Tx, id: string): Promise<WithdrawalOwner> {
    const [owner] = await read<WithdrawalOwner>(
      tx,
      `select email as "userEmail", status as "userStatus", created_at as "accountCreatedAt",
              first_wallet(id) as "walletAddress"
         from platform_user where id = (select user_id from withdrawal where id = $1)`,
      [isId(id) ? id : null],
    );
    return owner ?? fail('WITHDRAWAL_NOT_FOUND');
  }

  /** Reads `withdrawal_address` of the module addresses. Throws WITHDRAWAL_NOT_FOUND. */
  async getDetail(id: string, now: Date): Promise<WithdrawalDetail> {
    const [row] = await this.dataSource.query<Stored<WithdrawalDetail>[]>(
      `select ${COLUMNS}, ${usedOfDailyLimit('w.user_id', '$2')} as "usedToday",
              owner.hold_until as "holdUntil", owner.hold_reason as "holdReason",
              (select coalesce(sum(paid.amount), 0) from withdrawal as paid
                where paid.user_id = w.user_id and paid.status = 'completed') as "lifetimeWithdrawn",
              (select entry.created_at from withdrawal_address as entry
                where entry.user_id = w.user_id and lower(entry.address) = lower(w.to_address)) as "addressSince",
              (select count(*)::int from withdrawal as paid
                where paid.user_id = w.user_id and lower(paid.to_address) = lower(w.to_address)
                  and paid.status = 'completed') as "addressPaidCount"
         from ${WITH_OWNER} where w.id = $1`,
      [id, windowStart(now)],
    );
    if (!row) fail('WITHDRAWAL_NOT_FOUND');
    return {
      ...row,
      amount: Money.of(row.amount),
      usedToday: Money.of(row.usedToday),
      lifetimeWithdrawn: Money.of(row.lifetimeWithdrawn),
    };
  }

  findSteps(withdrawalId: string): Promise<WithdrawalStep[]> {
    return this.dataSource
      .getRepository(WithdrawalStep)
      .find({ where: { withdrawalId }, order: { id: 'asc' } });
  }

  /** The withdrawals that exist, in no particular order. */
  findScreeningCandidates(ids: readonly string[]): Promise<ScreeningCandidate[]> {
    return this.dataSource.query<ScreeningCandidate[]>(
      `select w.id, w.status, w.user_id as "userId", w.to_address as "toAddress", owner.status as "userStatus",
              ${IS_PAUSED} as "isPaused"
         from ${WITH_OWNER} where w.id = any($1::uuid[])`,
      [ids],
    );
  }

  private async sumWithdrawals(values: FilterValues, startOfToday: Date): Promise<WithdrawalListTotals> {
    const [status, userId, minAmount, createdAfter, chainCheck] = values;
    const filter = {
      list: 'withdrawal' as const,
      facets: [status, chainCheck],
      rows: { table: 'withdrawal as w', name: 'w', where: LIST_FILTER },
      time: { column: 'w.created_at', from: createdAfter, until: null },
      hasOtherConditions: userId !== null || minAmount !== null,
    };
    const parameters: unknown[] = [...values, startOfToday];
    // `took`: the seconds from the request to the completion.
    const [row] = await this.dataSource.query<[StoredTotals]>(
      `with completed_today as (
         select count(*)::int as rows, coalesce(sum(amount), 0) as amount
           from withdrawal as w where completed_at >= $6 and ${LIST_FILTER}
       )
       select coalesce(sum(rows), 0)::int as total, coalesce(sum(amount), 0) as amount,
              coalesce(sum(amount) filter (where facets[1] = 'completed'), 0) as completed,
              coalesce(sum(rows) filter (where facets[1] = 'pending'), 0)::int as pending,
              coalesce(sum(amount) filter (where facets[1] = 'pending'), 0) as "pendingAmount",
              (select rows from completed_today) as today, (select amount from completed_today) as "todayAmount",
              round(sum(took) / nullif(sum(rows) filter (where facets[1] = 'completed'), 0))::int as seconds,
              ${asOfSql('withdrawal')} as "asOf"
         from (${listTotals(filter, parameters)}) as totals`,
      parameters,
    );
    const { total } = row;
    const average = total === 0 ? Money.ZERO : Money.of(row.amount).dividedBy(Money.of(String(total)));
    return {
      total,
      completedAmount: Money.of(row.completed),
      pending: row.pending,
      pendingAmount: Money.of(row.pendingAmount),
      completedToday: row.today,
      completedTodayAmount: Money.of(row.todayAmount),
      averageAmount: average.roundHalfEven(MICRO_SCALE),
      averageProcessingSeconds: row.seconds,
      asOf: row.asOf,
    };
  }
}

function valuesOf({ status, userId, minAmount, createdAfter, chainCheck }: WithdrawalFilter): FilterValues {
  const since = createdAfter === undefined ? null : new Date(createdAfter);
  return [status ?? null, userId ?? null, minAmount ?? null, since, chainCheck ?? null];
}

function toAdminWithdrawal(row: Stored<AdminWithdrawal>): AdminWithdrawal {
  return { ...row, amount: Money.of(row.amount) };
}
