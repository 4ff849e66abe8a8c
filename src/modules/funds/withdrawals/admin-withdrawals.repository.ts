import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Stored } from '../../../database/columns/money.column.js';
import { entityColumns, entityOf } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import { queueTotals, type QueueTotals } from '../../../lists/queue-totals.js';
import { read } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { isId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { ListPage, type Page } from '../../../lists/list-page.js';
import type { QueueQuery } from '../../../http/request/page.query.js';
import { hashForms } from '../../providers/chain/domain/transaction-hash.js';
import { dayWindowStart } from './domain/limit-windows.js';
import type { WithdrawalStatus } from './domain/withdrawal.state-machine.js';
import { Withdrawal, WithdrawalStep } from './entities/withdrawal.entity.js';
import type { TierColumns } from '../../identity/users/domain/limit-tier.js';
import {
  holdColumns,
  lockColumns,
  lockReason,
  tierColumns,
} from '../../identity/users/account-changes.repository.js';
import { inAddressBookSince } from '../addresses/addresses.repository.js';
import { usedSince, IS_PAUSED } from './withdrawals.repository.js';
import type {
  AdminWithdrawal,
  QueuedWithdrawal,
  WithdrawalDetail,
  WithdrawalOwner,
} from './withdrawals.types.js';

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
export const QUEUE_KEYS = {
  createdAt: ['w.created_at', 'timestamptz'],
  amount: ['w.amount', 'numeric'],
} as const;

/** SQL: the columns of a `WithdrawalOwner`. Reads `platform_user` of the users module, `first_wallet` of the wallets module. */
function ownerColumns(user: string): string {
  return `${user}.email as "userEmail", ${user}.status as "userStatus", ${user}.created_at as "accountCreatedAt",
          first_wallet(${user}.id) as "walletAddress"`;
}

/** SQL: the columns of a withdrawal `w` and its user `owner`, for `toAdminWithdrawal`. */
export function adminColumns(dataSource: DataSource): string {
  return `${entityColumns(dataSource, Withdrawal, 'w')}, ${ownerColumns('owner')}`;
}

export const WITH_OWNER = 'withdrawal as w join platform_user as owner on owner.id = w.user_id';

/** SQL for a balance of the withdrawal's owner. Reads `ledger_account` of the ledger module. */
function balanceOf(kind: 'user.available' | 'user.invested'): string {
  return `coalesce((select balance from ledger_account
            where owner_id = w.user_id and kind = '${kind}' and scope = '' and asset = 'USDC'), 0)`;
}

/** A row of a statement that selects `adminColumns` and what `Row` has besides. */
export type AdminRow<Row extends AdminWithdrawal = AdminWithdrawal> = Stored<Omit<Row, keyof Withdrawal>>;

/**
 * Withdrawals as admins read them. The queue takes two statements: its totals, and its page, which first finds the ids, so
 * that the subqueries of the columns run for the rows of the page only.
 */
@Injectable()
export class AdminWithdrawalsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Pending withdrawals, and the totals of all of them. */
  async findQueue(filter: QueueQuery, now: Date): Promise<Page<QueuedWithdrawal> & { totals: QueueTotals }> {
    const parameters: unknown[] = [dayWindowStart(now)];
    const { sortBy, orderBy: direction } = filter;
    const page = new ListPage(
      filter,
      { keys: [QUEUE_KEYS[sortBy], ['w.id', 'uuid']], direction },
      parameters,
    );
    const rows = await this.dataSource.query<AdminRow<QueuedWithdrawal>[]>(
      prepared(`
       select ${adminColumns(this.dataSource)}, ${usedSince('w.user_id', '$1')} as "usedToday", ${tierColumns('owner')},
              ${balanceOf('user.available')} as available, ${balanceOf('user.invested')} as invested, ${page.key}
         from (select w.id from withdrawal as w
                where w.status = 'pending' and ${page.condition} ${page.orderBy} ${page.limit}) as page
         join withdrawal as w using (id) join platform_user as owner on owner.id = w.user_id
        ${page.orderBy}`),
      parameters,
    );
    const totals = await queueTotals(this.dataSource, 'withdrawal', now);
    return { ...page.cut(rows, (row) => this.toQueuedWithdrawal(row)), totals };
  }

  /** The user of a withdrawal, with the tier, which cannot change once the user is locked. Throws WITHDRAWAL_NOT_FOUND. */
  async getOwner(tx: Tx, id: string): Promise<WithdrawalOwner & TierColumns> {
    const [owner] = await read<WithdrawalOwner & TierColumns>(
      tx,
      `select ${ownerColumns('platform_user')}, ${tierColumns('platform_user')}
         from platform_user where id = (select user_id from withdrawal where id = $1)`,
      [isId(id) ? id : null],
    );
    return owner ?? throwError('WITHDRAWAL_NOT_FOUND');
  }

  wasCompletedBy(id: string, completedBy: string, txHash: string): Promise<boolean> {
    const { manager } = this.dataSource;
    return manager.existsBy(Withdrawal, { id, completedBy, txHash: In(hashForms(txHash.toLowerCase())) });
  }

  wasRejectedBy(withdrawalId: string, byId: string, reason: string): Promise<boolean> {
    const step = { withdrawalId, verb: 'reject', byType: 'admin', byId, note: reason } as const;
    return this.dataSource.manager.existsBy(WithdrawalStep, step);
  }

  /** Throws WITHDRAWAL_NOT_FOUND. */
  async getDetail(id: string, now: Date): Promise<WithdrawalDetail> {
    const [row] = await this.dataSource.query<AdminRow<WithdrawalDetail>[]>(
      `select ${adminColumns(this.dataSource)}, ${usedSince('w.user_id', '$2')} as "usedToday",
              ${holdColumns('owner')}, ${lockColumns('owner')}, ${lockReason('owner')}, ${tierColumns('owner')},
              (select coalesce(sum(paid.amount), 0) from withdrawal as paid
                where paid.user_id = w.user_id and paid.status = 'completed') as "lifetimeWithdrawn",
              ${inAddressBookSince('w.user_id', 'w.to_address')} as "addressSince",
              (select count(*)::int from withdrawal as paid
                where paid.user_id = w.user_id and lower(paid.to_address) = lower(w.to_address)
                  and paid.status = 'completed' and paid.id <> w.id) as "addressPaidCount"
         from ${WITH_OWNER} where w.id = $1`,
      [id, dayWindowStart(now)],
    );
    if (!row) throwError('WITHDRAWAL_NOT_FOUND');
    return {
      ...toAdminWithdrawal(this.dataSource, row),
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

  private toQueuedWithdrawal(row: AdminRow<QueuedWithdrawal>): QueuedWithdrawal {
    return {
      ...toAdminWithdrawal(this.dataSource, row),
      usedToday: Money.of(row.usedToday),
      available: Money.of(row.available),
      invested: Money.of(row.invested),
    };
  }
}

/** The withdrawal in a row, with what the row has besides. */
export function toAdminWithdrawal<Row extends AdminRow>(dataSource: DataSource, row: Row): Row & Withdrawal {
  return { ...row, ...entityOf(dataSource, Withdrawal, row) };
}
