import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { read } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { newestReason } from '../../core/audit/audit.repository.js';
import type { LockColumns, HoldColumns } from './domain/account-restrictions.js';
import type { TierColumns } from './domain/limit-tier.js';
import { User } from './entities/user.entity.js';

/**
 * SQL: the hold of an account. `platform_user` and the last row of `user_account_change` both have it, and the later end counts, so that
 * somebody who changes one row in the database ends no hold. `user` is the name of `platform_user` in the statement.
 */
export function holdColumns(user: string): string {
  return `${holdUntil(user)} as "holdUntil",
          coalesce(${user}.hold_reason, ${recorded(user, 'hold_reason')}) as "holdReason"`;
}

/** SQL: the end of the hold of an account, which may have passed (as `holdColumns`). */
export function holdUntil(user: string): string {
  return `greatest(${user}.hold_until, ${recorded(user, 'hold_until')})`;
}

/** SQL: the lock of an account, which counts if one of the two rows has it (as `holdColumns`). If they differ, only admins end it. */
export function lockColumns(user: string): string {
  return `coalesce(${user}.locked_at, ${recorded(user, 'locked_at')}) as "lockedAt",
          coalesce(${user}.locked_by, ${recorded(user, 'locked_by')}) as "lockedBy",
          case when ${user}.locked_at is not distinct from ${recorded(user, 'locked_at')}
                and ${user}.unlock_by is not distinct from ${recorded(user, 'unlock_by')} then ${user}.unlock_by
               else 'admins' end as "unlockBy"`;
}

/**
 * SQL: the column `lockReason` for statements that show the lock of an account: the reason in the audit entry of the newest lock; null
 * without a lock.
 */
export function lockReason(user: string): string {
  return `case when coalesce(${user}.locked_at, ${recorded(user, 'locked_at')}) is not null
               then ${newestReason('user.lock', 'user', `${user}.id::text`)} end as "lockReason"`;
}

function selectAccount(columns: string): string {
  return `select ${columns} from platform_user where id = $1`;
}

function recorded(user: string, column: string): string {
  return `(select ${column} from user_account_change where user_id = ${user}.id order by id desc limit 1)`;
}

/**
 * SQL: `TierColumns`. Not for the statement that locks the user: after waiting for the lock, such a statement sees the new row and the
 * old record.
 */
export function tierColumns(user: string): string {
  return `${user}.tier, ${recorded(user, 'tier')} as "recordedTier"`;
}

/** What `lockAccount` returns. */
export type LockedAccount = Pick<User, 'status'> & HoldColumns & LockColumns;

/** Columns that `user_account_change` repeats. */
export type AccountColumn =
  'email' | 'holdUntil' | 'holdReason' | 'lockedAt' | 'lockedBy' | 'unlockBy' | 'tier';

/** What `platform_user` and `user_account_change` both have of an account: its e-mail address, hold, lock and tier. */
@Injectable()
export class AccountChangesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** FOR SHARE: blocks changes of the status, the hold and the lock of the account. Undefined for an unknown user. */
  async lockAccount(tx: Tx, id: string): Promise<LockedAccount | undefined> {
    const [account] = await read<LockedAccount>(
      tx,
      `${selectAccount(`status, ${holdColumns('platform_user')}, ${lockColumns('platform_user')}`)} for share`,
      [id],
    );
    return account;
  }

  /** The latest hold, ended ones included. Undefined for an unknown user. */
  findHoldColumns(id: string, manager?: EntityManager): Promise<HoldColumns | undefined> {
    return this.findColumns(id, holdColumns('platform_user'), manager);
  }

  /** Null columns without a lock. Undefined for an unknown user. */
  findLockColumns(id: string, manager?: EntityManager): Promise<LockColumns | undefined> {
    return this.findColumns(id, `${lockColumns('platform_user')}, ${lockReason('platform_user')}`, manager);
  }

  private async findColumns<Columns>(
    id: string,
    columns: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Columns | undefined> {
    const [row] = await manager.query<Columns[]>(selectAccount(columns), [id]);
    return row;
  }

  /** For an unknown user the columns of a user without a tier. */
  async getTierColumns(id: string, tx: Tx): Promise<TierColumns> {
    const [columns] = await read<TierColumns>(tx, selectAccount(tierColumns('platform_user')), [id]);
    return columns ?? { tier: null, recordedTier: null };
  }

  countUsersOfOtherTiers(known: readonly string[]): Promise<{ tier: string; users: number }[]> {
    return this.dataSource.query(
      'select tier, count(*)::int as users from platform_user where tier <> all($1) group by tier order by tier',
      [known],
    );
  }

  /** Changes the e-mail address, the hold, the lock or the tier, and records it. */
  async changeAccount(
    tx: Tx,
    id: string,
    changes: Partial<Pick<User, AccountColumn | 'emailVerified' | 'updatedAt'>>,
    at: Date,
  ): Promise<void> {
    await tx.update(User, id, changes);
    await this.insertRecord(tx, id, changes, at);
  }

  /**
   * Records the account after its insertion or changes. The record copies the other columns from the former record, and not
   * from the row of the user, which somebody may have changed in the database, unless there is no former record.
   */
  async insertRecord(
    tx: Tx,
    id: string,
    changes: Partial<Pick<User, AccountColumn>>,
    at: Date,
  ): Promise<void> {
    const { email = null, holdUntil = null, holdReason = null, tier = null } = changes;
    const { lockedAt = null, lockedBy = null, unlockBy = null } = changes;
    const changesHold = 'holdUntil' in changes;
    const changesLock = 'lockedAt' in changes;
    const columns = 'email, hold_until, hold_reason, locked_at, locked_by, unlock_by, tier';
    await tx.query(
      `insert into user_account_change (user_id, ${columns}, changed_at)
       select $1, coalesce($2, email), case when $3 then $4 else hold_until end, case when $3 then $5 else hold_reason end,
              case when $7 then $8 else locked_at end, case when $7 then $9 else locked_by end,
              case when $7 then $10 else unlock_by end, coalesce($11, tier), $6
         from ((select 0 as place, ${columns} from user_account_change where user_id = $1 order by id desc limit 1)
               union all
               select 1, ${columns} from platform_user where id = $1) as former
        order by place limit 1`,
      [id, email, changesHold, holdUntil, holdReason, at, changesLock, lockedAt, lockedBy, unlockBy, tier],
    );
  }

  /** Removes the name and the e-mail address, also from the records of changes. */
  async anonymise(tx: Tx, id: string, email: string, at: Date): Promise<void> {
    await tx.update(User, id, { fullName: null, lastLoginAt: null });
    await tx.query('delete from user_account_change where user_id = $1', [id]);
    await this.changeAccount(tx, id, { email, emailVerified: false }, at);
  }
}
