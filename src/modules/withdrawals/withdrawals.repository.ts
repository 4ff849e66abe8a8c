import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { insertRow, lockRow, updateRow, withNulls } from '../../database/entity-rows.js';
import { PREPARED, prepared } from '../../database/prepared.js';
import { read } from '../../database/statements.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { isId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import type { WithdrawalAction } from './domain/withdrawal.state-machine.js';
import { windowStart } from './domain/daily-limit.js';
import { WithdrawalStep } from './entities/withdrawal-step.entity.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import type { HoldColumns } from '../users/domain/security-hold.js';
import type { UserStatus } from '../users/users.types.js';
import type { Actor, NewWithdrawal } from './withdrawals.types.js';

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
>;

/** A step of a withdrawal's lifecycle, which is written together with the withdrawal. */
interface Step {
  readonly verb: WithdrawalAction;
  readonly by: Actor;
  readonly at: Date;
  readonly note: string | null;
}

/**
 * SQL for the used part of a user's daily limit: the withdrawals since `since`, except rejected and cancelled ones, and failed
 * ones after their release. The arguments are SQL expressions.
 */
export function usedOfDailyLimit(userId: string, since: string): string {
  return `(select coalesce(sum(counted.amount), 0) from withdrawal as counted
            where counted.user_id = ${userId} and counted.created_at > ${since}
              and counted.status <> 'rejected' and counted.released_at is null)`;
}

@Injectable()
export class WithdrawalsRepository {
  constructor(@InjectRepository(Withdrawal) private readonly withdrawals: Repository<Withdrawal>) {}

  /** Inserts a requested withdrawal and the first step of its lifecycle. */
  insertWithdrawal(tx: Tx, by: Actor, requested: RequestedFields): NewWithdrawal {
    const withdrawal = withNulls(tx, Withdrawal, requested);
    insertRow(tx, Withdrawal, withdrawal);
    this.insertStep(tx, withdrawal, { verb: 'request', by, at: withdrawal.createdAt, note: null });
    return withdrawal;
  }

  /** Changes a locked withdrawal, and inserts the step of its lifecycle. */
  updateWithdrawal(tx: Tx, withdrawal: Withdrawal, changes: Partial<Withdrawal>, step: Step): void {
    updateRow(tx, Withdrawal, withdrawal.id, changes);
    this.insertStep(tx, withdrawal, step);
  }

  /** Locks the status of the withdrawal's user, so that a suspension waits. Reads `platform_user` of the module users. */
  async lockUserStatus(tx: Tx, withdrawalId: string): Promise<UserStatus | undefined> {
    if (!isId(withdrawalId)) return undefined;
    const [user] = await read<{ status: UserStatus }>(
      tx,
      'select status from platform_user where id = (select user_id from withdrawal where id = $1) for share',
      [withdrawalId],
    );
    return user?.status;
  }

  /** The used part of the daily limit, which cannot grow once the user's available balance is locked. */
  async getUsedDailyLimit(tx: Tx, userId: string, at: Date): Promise<Money> {
    const [row] = await read<{ used: string }>(tx, `select ${usedOfDailyLimit('$1', '$2')} as used`, [
      userId,
      windowStart(at),
    ]);
    return Money.of(row?.used ?? '0');
  }

  /** Locks a withdrawal until the commit. Throws WITHDRAWAL_NOT_FOUND. */
  async lockWithdrawal(tx: Tx, id: string): Promise<Withdrawal> {
    return (await this.lockIfExists(tx, id)) ?? fail('WITHDRAWAL_NOT_FOUND');
  }

  /** As `lockWithdrawal`, but null if no withdrawal has the id, which may be any text. */
  async lockIfExists(tx: Tx, id: string): Promise<Withdrawal | null> {
    return isId(id) ? lockRow(tx, Withdrawal, id) : null;
  }

  findWithdrawal(id: string): Promise<Withdrawal | null> {
    return this.withdrawals.findOne({ comment: PREPARED, where: { id } });
  }

  /** A user's withdrawals, newest first. */
  async findPageOfUser(userId: string, page: { page: number; limit: number }): Promise<Rows<Withdrawal>> {
    const [rows, total] = await this.withdrawals.findAndCount({
      comment: PREPARED,
      where: { userId },
      order: { createdAt: 'desc', id: 'desc' },
      skip: offsetOf(page),
      take: page.limit,
    });
    return { rows, total };
  }

  /** When the oldest open withdrawal (pending, approved or processing) was requested; null if none is open. */
  async findOldestOpenRequestTime(): Promise<Date | null> {
    const [row] = await this.withdrawals.query<{ oldest: Date | null }[]>(
      `select min(created_at) as oldest from withdrawal where status in ('pending', 'approved', 'processing')`,
    );
    return row?.oldest ?? null;
  }

  /**
   * Reads without a lock. `used`: the used part of the daily limit at `at`. `pausedBy`: an admin's e-mail address or `system`;
   * null while withdrawals are not paused. The hold is the latest one in `platform_user` of the module users, ended ones included.
   */
  async getAllowance(
    userId: string,
    at: Date,
    manager: EntityManager = this.withdrawals.manager,
  ): Promise<{ used: Money; pausedBy: string | null } & HoldColumns> {
    const [row] = await manager.query<({ used: string; pausedBy: string | null } & HoldColumns)[]>(
      prepared(`select ${usedOfDailyLimit('$1', '$2')} as used,
                       (select paused_by from withdrawal_pause where resumed_at is null) as "pausedBy",
                       hold_until as "holdUntil", hold_reason as "holdReason"
                  from (select $1::uuid as id) as asked left join platform_user using (id)`),
      [userId, windowStart(at)],
    );
    const { pausedBy = null, holdUntil = null, holdReason = null } = row ?? {};
    return { used: Money.of(row?.used ?? '0'), pausedBy, holdUntil, holdReason };
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
