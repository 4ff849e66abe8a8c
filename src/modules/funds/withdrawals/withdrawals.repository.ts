import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, type EntityManager, type Repository } from 'typeorm';
import { throwError } from '../../../common/errors/domain-error.js';
import { isId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { insertRow, lockRow, readRow, updateRow, withNulls } from '../../../database/entity-rows.js';
import { PREPARED, prepared } from '../../../database/prepared.js';
import { lockName, read } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import { boundedCount, secondsSince } from '../../../lists/count-rows.js';
import { findCountedPage, listFilter } from '../../../lists/find-page.js';
import { byTime, type PageRequest } from '../../../lists/list-page.js';
import {
  holdColumns,
  lockColumns,
  lockReason,
  tierColumns,
} from '../../identity/users/account-changes.repository.js';
import {
  WITHOUT_LOCK,
  type HoldColumns,
  type LockColumns,
} from '../../identity/users/domain/account-restrictions.js';
import type { TierColumns } from '../../identity/users/domain/limit-tier.js';
import type { UserStatus } from '../../identity/users/users.types.js';
import { windowStarts, type UsedAmounts } from './domain/limit-windows.js';
import type { WithdrawalAction } from './domain/withdrawal.state-machine.js';
import { Withdrawal, WithdrawalPause, WithdrawalStep } from './entities/withdrawal.entity.js';
import { SYSTEM_ACTOR, type Actor, type NewWithdrawal } from './withdrawals.types.js';

/** The columns of a new withdrawal that are not null. */
type RequestedFields = Pick<
  Withdrawal,
  | 'id'
  | 'userId'
  | 'amount'
  | 'currency'
  | 'status'
  | 'createdAt'
  | 'toAddress'
  | 'addressChecksum'
  | 'txHashShared'
  | 'platformHeldAt'
>;

/** A step of a withdrawal's lifecycle, which is written together with the withdrawal. */
interface Step {
  readonly verb: WithdrawalAction;
  readonly by: Actor;
  readonly at: Date;
  readonly note: string | null;
}

/** SQL condition over `withdrawal` with the name `row`: it counts in the windows of limits (DEC-111). */
export function countsForLimits(row: string): string {
  return `${row}.status <> 'rejected' and ${row}.released_at is null`;
}

/** SQL: the sum of a user's withdrawals since `since` that count in the windows of limits. The arguments are SQL expressions. */
export function usedSince(userId: string, since: string): string {
  return `(select coalesce(sum(counted.amount), 0) from withdrawal as counted
            where counted.user_id = ${userId} and counted.created_at > ${since} and ${countsForLimits('counted')})`;
}

/** SQL: status, number and age of the oldest of each status of the operators' queue, as JSON. `now` is SQL, too. */
export function queueFigures(now: string): string {
  const rows = 'withdrawal where withdrawal.status = queue.status';
  return `(select jsonb_agg(jsonb_build_object('status', status, 'count', ${boundedCount(rows)},
                   'oldestSeconds', ${secondsSince(`select min(created_at) from ${rows}`, now)}))
             from unnest(array['pending', 'approved', 'processing']) as queue (status))`;
}

/** SQL: the number of withdrawals whose payment the chain refutes. */
export const REFUTED_WITHDRAWALS = boundedCount(`withdrawal where chain_check = 'mismatch'`);

/** Columns with the sums of a user (`$1`) in the windows that began at `$2` (day) and `$3` (month), and the tier of `platform_user`. */
const USED_AND_TIER = `${usedSince('$1', '$2')} as day, ${usedSince('$1', '$3')} as month, ${tierColumns('platform_user')}`;

/** What a user has used, and the columns of the tier that limits it. */
type UsedAndTier = TierColumns & { readonly used: UsedAmounts };
type StoredUsedAndTier = TierColumns & Record<keyof UsedAmounts, string>;

/** What decides about a withdrawal besides the amounts: the pause of all withdrawals, and the hold and the lock of its user. */
type AccountState = { readonly pausedBy: string | null } & HoldColumns & LockColumns;

/** The state of an unknown user. */
const NO_STATE: AccountState = { pausedBy: null, holdUntil: null, holdReason: null, ...WITHOUT_LOCK };

@Injectable()
export class WithdrawalsRepository {
  constructor(@InjectRepository(Withdrawal) private readonly withdrawals: Repository<Withdrawal>) {}

  /** Inserts a requested withdrawal and the first steps of its lifecycle. */
  insertWithdrawal(tx: Tx, by: Actor, requested: RequestedFields): NewWithdrawal {
    const withdrawal = withNulls(tx, Withdrawal, requested);
    insertRow(tx, Withdrawal, withdrawal);
    const { createdAt: at, platformHeldAt } = withdrawal;
    this.insertStep(tx, withdrawal, { verb: 'request', by, at, note: null });
    if (platformHeldAt) this.insertStep(tx, withdrawal, { verb: 'hold', by: SYSTEM_ACTOR, at, note: null });
    return withdrawal;
  }

  /** Changes a locked withdrawal, and inserts the step of its lifecycle. */
  updateWithdrawal(tx: Tx, withdrawal: Withdrawal, changes: Partial<Withdrawal>, step: Step): void {
    updateRow(tx, Withdrawal, withdrawal.id, changes);
    this.insertStep(tx, withdrawal, step);
  }

  /**
   * The status and the lock of the withdrawal's user, which do not change before the transaction ends. Reads `platform_user` of the
   * module users.
   */
  async lockOwnerState(
    tx: Tx,
    withdrawalId: string,
  ): Promise<({ status: UserStatus } & LockColumns) | undefined> {
    if (!isId(withdrawalId)) return undefined;
    const [user] = await read<{ status: UserStatus } & LockColumns>(
      tx,
      `select status, ${lockColumns('platform_user')}
         from platform_user where id = (select user_id from withdrawal where id = $1) for share`,
      [withdrawalId],
    );
    return user;
  }

  /**
   * What the user has used of the limits, which cannot grow once the user's available balance is locked, and the tier, which cannot
   * change once the user is locked. Reads `platform_user` of the module users.
   */
  async getUsedAmounts(tx: Tx, userId: string, at: Date): Promise<UsedAndTier> {
    const { day, month } = windowStarts(at);
    const [row] = await read<StoredUsedAndTier>(
      tx,
      `select ${USED_AND_TIER} from platform_user where id = $1`,
      [userId, day, month],
    );
    return toUsedAndTier(row);
  }

  /** Locks a withdrawal until the commit. Throws WITHDRAWAL_NOT_FOUND. */
  async lockWithdrawal(tx: Tx, id: string): Promise<Withdrawal> {
    return (await this.lockIfExists(tx, id)) ?? throwError('WITHDRAWAL_NOT_FOUND');
  }

  /** As `lockWithdrawal`, but null if no withdrawal has the id, which may be any text. */
  async lockIfExists(tx: Tx, id: string): Promise<Withdrawal | null> {
    return isId(id) ? lockRow(tx, Withdrawal, id) : null;
  }

  /** True for a withdrawal that an operator had taken and put back to the pending ones. */
  async wasReturned(tx: Tx, id: string): Promise<boolean> {
    const returned = `where withdrawal_id = $1 and verb = 'return' limit 1`;
    return (await readRow(tx, WithdrawalStep, returned, [id])) !== undefined;
  }

  findWithdrawal(id: string): Promise<Withdrawal | null> {
    return this.withdrawals.findOne({ comment: PREPARED, where: { id } });
  }

  /** A user's withdrawals, newest first. */
  findPageOfUser(userId: string, request: PageRequest): Promise<Rows<Withdrawal>> {
    const { manager } = this.withdrawals;
    const filter = { ...listFilter(['user_id = ?', userId]), isPrepared: true };
    return findCountedPage(manager, Withdrawal, filter, byTime('created_at', 'id'), request);
  }

  /** When the oldest open withdrawal (pending, approved or processing) was requested; null if none is open. */
  async findOldestOpenRequestTime(): Promise<Date | null> {
    const oldest = await this.withdrawals.findOne({
      select: { createdAt: true },
      where: { status: In(['pending', 'approved', 'processing']) },
      order: { createdAt: 'ASC' },
    });
    return oldest?.createdAt ?? null;
  }

  /**
   * Reads without a lock. `pausedBy`: an admin's e-mail address or `system`; null while withdrawals are not paused. The hold is the
   * latest one of the module users, ended ones included.
   */
  async getAllowance(
    userId: string,
    at: Date,
    manager: EntityManager = this.withdrawals.manager,
  ): Promise<UsedAndTier & AccountState> {
    const { day, month } = windowStarts(at);
    const [row] = await manager.query<(StoredUsedAndTier & AccountState)[]>(
      prepared(`select ${USED_AND_TIER}, (select paused_by from withdrawal_pause where resumed_at is null) as "pausedBy",
                       ${holdColumns('platform_user')}, ${lockColumns('platform_user')}, ${lockReason('platform_user')}
                  from (select $1::uuid as id) as asked left join platform_user using (id)`),
      [userId, day, month],
    );
    return { ...NO_STATE, ...row, ...toUsedAndTier(row) };
  }

  private insertStep(
    tx: Tx,
    { id, status }: Pick<Withdrawal, 'id' | 'status'>,
    { verb, by, at, note }: Step,
  ): void {
    const step = { withdrawalId: id, status, verb, at, byType: by.type, byId: by.id, note };
    insertRow(tx, WithdrawalStep, step);
  }
}

function toUsedAndTier(row: StoredUsedAndTier | undefined): UsedAndTier {
  const { day = '0', month = '0', tier = null, recordedTier = null } = row ?? {};
  return { used: { day: Money.of(day), month: Money.of(month) }, tier, recordedTier };
}

/** SQL condition: withdrawals are paused. */
export const IS_PAUSED = 'exists (select from withdrawal_pause where resumed_at is null)';

@Injectable()
export class WithdrawalPausesRepository {
  constructor(@InjectRepository(WithdrawalPause) private readonly pauses: Repository<WithdrawalPause>) {}

  /** Serialises pausing and resuming until the commit. Returns the current pause; null while withdrawals are not paused. */
  async lockPause(tx: Tx): Promise<WithdrawalPause | null> {
    await lockName(tx, 'withdrawal-pause');
    return tx.findOneBy(WithdrawalPause, { resumedAt: IsNull() });
  }

  /** The current pause; null while withdrawals are not paused. */
  findPause(): Promise<WithdrawalPause | null> {
    return this.pauses.findOneBy({ resumedAt: IsNull() });
  }

  /** Whether withdrawals are paused. Takes no lock. */
  async isPaused(tx: Tx): Promise<boolean> {
    return (await readRow(tx, WithdrawalPause, 'where resumed_at is null limit 1')) !== undefined;
  }

  async insertPause(
    tx: Tx,
    pause: Pick<WithdrawalPause, 'id' | 'since' | 'pausedBy' | 'reason'>,
  ): Promise<void> {
    await tx.insert(WithdrawalPause, pause);
  }

  async endPause(
    tx: Tx,
    id: string,
    end: Pick<WithdrawalPause, 'resumedAt' | 'resumedBy' | 'resumeReason'>,
  ): Promise<void> {
    await tx.update(WithdrawalPause, id, end);
  }
}
