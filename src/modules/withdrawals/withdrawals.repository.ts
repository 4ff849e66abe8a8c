import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import type { CollectedWrite } from '../../database/collected-rows.js';
import { entityOf, entityRow } from '../../database/entity-rows.js';
import { PREPARED, prepared } from '../../database/prepared.js';
import { collectRow, readTogether, type TransactionRead } from '../../database/transaction-calls.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { isId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import type { WithdrawalAction } from './domain/withdrawal.state-machine.js';
import { windowStart } from './domain/daily-limit.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import type { HoldColumns } from '../users/domain/security-hold.js';
import type { UserStatus } from '../users/users.types.js';
import type { Actor, NewWithdrawal } from './withdrawals.types.js';

/** A row of `withdrawal_event`, which is written together with the withdrawal. */
interface Step {
  readonly verb: WithdrawalAction;
  readonly by: Actor;
  readonly at: Date;
  readonly note: string | null;
}

const TRANSITIONS: CollectedWrite<object> = { name: 'withdrawal_changes', toRows: (changes) => changes };
const REQUESTS: CollectedWrite<object> = { name: 'withdrawals', toRows: (rows) => rows };

/** SQL for the used part of a user's daily limit, whose window begins at `since`. The arguments are SQL expressions. */
export function usedOfDailyLimit(userId: string, since: string): string {
  return `(select used from used_withdrawal_limit(${userId}, ${since}))`;
}

@Injectable()
export class WithdrawalsRepository {
  constructor(@InjectRepository(Withdrawal) private readonly withdrawals: Repository<Withdrawal>) {}

  /** Collects a requested withdrawal and the first step of its lifecycle. */
  async collectWithdrawal(tx: Tx, withdrawal: NewWithdrawal, by: Actor): Promise<void> {
    const row = entityRow(tx, Withdrawal, withdrawal);
    await collectRow(tx, REQUESTS, { ...row, by_type: by.type, by_id: by.id });
  }

  /** Collects a transition of a locked withdrawal and the step of its lifecycle. */
  async collectTransition(tx: Tx, withdrawal: Withdrawal, { verb, by, at, note }: Step): Promise<void> {
    const step = { verb, at, by_type: by.type, by_id: by.id, note };
    await collectRow(tx, TRANSITIONS, { withdrawal: entityRow(tx, Withdrawal, withdrawal), step });
  }

  /** For `readTogether`: locks a withdrawal until the commit. Throws WITHDRAWAL_NOT_FOUND. */
  withdrawalLock(id: string): TransactionRead<Withdrawal> {
    const lock = this.withdrawalLockIfExists(id);
    return { ...lock, toResult: (row: never) => lock.toResult(row) ?? fail('WITHDRAWAL_NOT_FOUND') };
  }

  /** For `readTogether`: as `withdrawalLock`, but null if no withdrawal has the id, which may be any text. */
  private withdrawalLockIfExists(id: string): TransactionRead<Withdrawal | null> {
    return {
      name: 'lock_withdrawal',
      parameters: [isId(id) ? id : null],
      toResult: (row: object | null) => row && entityOf(this.withdrawals.manager.connection, Withdrawal, row),
    };
  }

  /** For `readTogether`: locks the status of the withdrawal's user, so that a suspension waits. Locks nothing for null. */
  userStatusLock(withdrawalId: string | null): TransactionRead<UserStatus | undefined> {
    return {
      name: 'lock_status_of_withdrawal_user',
      parameters: [withdrawalId !== null && isId(withdrawalId) ? withdrawalId : null],
      toResult: (status: UserStatus | null) => status ?? undefined,
    };
  }

  /** For `readTogether`: the used part of the daily limit, which cannot grow once the user's available balance is locked. */
  usedDailyLimitRead(userId: string, at: Date): TransactionRead<Money> {
    return {
      name: 'used_withdrawal_limit',
      parameters: [userId, windowStart(at).toISOString()],
      toResult: (used: string) => Money.of(used),
    };
  }

  /** Locks a withdrawal until the commit. Throws WITHDRAWAL_NOT_FOUND. */
  async lockWithdrawal(tx: Tx, id: string): Promise<Withdrawal> {
    return (await this.lockIfExists(tx, id)) ?? fail('WITHDRAWAL_NOT_FOUND');
  }

  /** Locks a withdrawal until the commit; null if it does not exist. */
  async lockIfExists(tx: Tx, id: string): Promise<Withdrawal | null> {
    const [withdrawal] = await readTogether(tx, this.withdrawalLockIfExists(id));
    return withdrawal;
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
}
