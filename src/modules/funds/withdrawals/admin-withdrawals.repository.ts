import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { prepared } from '../../../database/prepared.js';
import { queueTotals, type QueueTotals } from '../../../lists/queue-totals.js';
import { read } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { isId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { ListPage, type Page } from '../../../lists/list-page.js';
import type { QueueQuery } from '../../../http/request/queue.query.js';
import { hashForms } from '../../providers/chain/domain/transaction-hash.js';
import { dayStart } from './domain/limit-windows.js';
import type { WithdrawalStatus } from './domain/withdrawal.state-machine.js';
import { WithdrawalStep } from './entities/withdrawal-step.entity.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import type { TierColumns } from '../../identity/users/domain/limit-tier.js';
import {
  holdColumns,
  lockColumns,
  lockReason,
  tierColumns,
} from '../../identity/users/account-changes.repository.js';
import { IS_PAUSED } from './withdrawal-pauses.repository.js';
import { usedSince } from './withdrawals.repository.js';
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

/** Columns of an `AdminWithdrawal`. Reads `platform_user` of the users module, `first_wallet` of the wallets module. */
export const COLUMNS = `
  w.id, w.user_id as "userId", owner.email as "userEmail", owner.status as "userStatus", owner.created_at as "accountCreatedAt",
  first_wallet(w.user_id) as "walletAddress", w.amount, w.currency, w.to_address as "toAddress",
  w.address_checksum as "addressChecksum", w.status, w.created_at as "createdAt",
  w.approved_at as "approvedAt", w.approved_by as "approvedBy", w.executed_at as "executedAt", w.taken_by as "takenBy",
  w.completed_at as "completedAt", w.completed_by as "completedBy", w.cancelled_at as "cancelledAt", w.tx_hash as "txHash", w.chain_check as "chainCheck",
  w.chain_check_reason as "chainCheckReason",
  w.released_at as "releasedAt", w.platform_held_at as "platformHeldAt", w.platform_released_at as "platformReleasedAt", w.note`;

export const WITH_OWNER = 'withdrawal as w join platform_user as owner on owner.id = w.user_id';

/** SQL for a balance of the withdrawal's owner. Reads `ledger_account` of the ledger module. */
function balanceOf(kind: 'user.available' | 'user.invested'): string {
  return `coalesce((select balance from ledger_account
            where owner_id = w.user_id and kind = '${kind}' and scope = '' and asset = 'USDC'), 0)`;
}

/** A row as the driver returns it: money is text. */
export type Stored<Row> = { [Field in keyof Row]: Row[Field] extends Money ? string : Row[Field] };

/**
 * Withdrawals as admins read them. The queue takes two statements: its totals, and its page, which first finds the ids, so
 * that the subqueries of the columns run for the rows of the page only.
 */
@Injectable()
export class AdminWithdrawalsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Pending withdrawals, and the totals of all of them. */
  async findQueue(filter: QueueQuery, now: Date): Promise<Page<QueuedWithdrawal> & { totals: QueueTotals }> {
    const parameters: unknown[] = [dayStart(now)];
    const { sortBy, orderBy: direction } = filter;
    const page = new ListPage(
      filter,
      { keys: [QUEUE_KEYS[sortBy], ['w.id', 'uuid']], direction },
      parameters,
    );
    const rows = await this.dataSource.query<Stored<QueuedWithdrawal>[]>(
      prepared(`
       select ${COLUMNS}, ${usedSince('w.user_id', '$1')} as "usedToday", ${tierColumns('owner')},
              ${balanceOf('user.available')} as available, ${balanceOf('user.invested')} as invested, ${page.key}
         from (select w.id from withdrawal as w
                where w.status = 'pending' and ${page.condition} ${page.orderBy} ${page.limit}) as page
         join withdrawal as w using (id) join platform_user as owner on owner.id = w.user_id
        ${page.orderBy}`),
      parameters,
    );
    const totals = await queueTotals(this.dataSource, 'withdrawal', now);
    return { ...page.cut(rows, toQueuedWithdrawal), totals };
  }

  /** The user of a withdrawal, with the tier, which cannot change once the user is locked. Throws WITHDRAWAL_NOT_FOUND. */
  async getOwner(tx: Tx, id: string): Promise<WithdrawalOwner & TierColumns> {
    const [owner] = await read<WithdrawalOwner & TierColumns>(
      tx,
      `select email as "userEmail", status as "userStatus", created_at as "accountCreatedAt",
              first_wallet(id) as "walletAddress", ${tierColumns('platform_user')}
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

  /** Reads `withdrawal_address` of the module addresses. Throws WITHDRAWAL_NOT_FOUND. */
  async getDetail(id: string, now: Date): Promise<WithdrawalDetail> {
    const [row] = await this.dataSource.query<Stored<WithdrawalDetail>[]>(
      `select ${COLUMNS}, ${usedSince('w.user_id', '$2')} as "usedToday",
              ${holdColumns('owner')}, ${lockColumns('owner')}, ${lockReason('owner')}, ${tierColumns('owner')},
              (select coalesce(sum(paid.amount), 0) from withdrawal as paid
                where paid.user_id = w.user_id and paid.status = 'completed') as "lifetimeWithdrawn",
              (select entry.created_at from withdrawal_address as entry
                where entry.user_id = w.user_id and lower(entry.address) = lower(w.to_address)) as "addressSince",
              (select count(*)::int from withdrawal as paid
                where paid.user_id = w.user_id and lower(paid.to_address) = lower(w.to_address)
                  and paid.status = 'completed' and paid.id <> w.id) as "addressPaidCount"
         from ${WITH_OWNER} where w.id = $1`,
      [id, dayStart(now)],
    );
    if (!row) throwError('WITHDRAWAL_NOT_FOUND');
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
}

export function toAdminWithdrawal(row: Stored<AdminWithdrawal>): AdminWithdrawal {
  return { ...row, amount: Money.of(row.amount) };
}

function toQueuedWithdrawal(row: Stored<QueuedWithdrawal>): QueuedWithdrawal {
  return {
    ...row,
    amount: Money.of(row.amount),
    usedToday: Money.of(row.usedToday),
    available: Money.of(row.available),
    invested: Money.of(row.invested),
  };
}
