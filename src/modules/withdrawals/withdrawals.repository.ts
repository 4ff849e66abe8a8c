import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { lockEntity } from '../../database/entity-rows.js';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { isId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import type { WithdrawalAction } from './domain/withdrawal.state-machine.js';
import { usedOfDailyLimit, windowStart } from './domain/daily-limit.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import type { Actor } from './withdrawals.types.js';

/** A row of `withdrawal_event`, which is written together with the withdrawal. */
interface Step {
  readonly verb: WithdrawalAction;
  readonly by: Actor;
  readonly at: Date;
  readonly note: string | null;
}

const INSERT = prepared(
  `with added as (
     insert into withdrawal (id, user_id, amount, currency, to_address, address_checksum, status, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning *
   )
   insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
   select id, status, 'request', created_at, $9, $10 from added
   returning (select recorded_at from added) as "recordedAt"`,
);
const UPDATE = prepared(
  `with moved as (
     update withdrawal
        set status = $2, approved_at = $3, approved_by = $4, executed_at = $5, completed_at = $6, tx_hash = $7,
            tx_hash_shared = $8, chain_check = $9, chain_checked_at = $10, released_at = $11, note = $12,
            chain_check_reason = $18, cancelled_at = $19
      where id = $1 returning *
   )
   insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id, note)
   select id, status, $13, $14, $15, $16, $17 from moved`,
);
const USED = prepared(`select ${usedOfDailyLimit('$1', '$2')} as used`);

@Injectable()
export class WithdrawalsRepository {
  constructor(@InjectRepository(Withdrawal) private readonly withdrawals: Repository<Withdrawal>) {}

  /** Stores a requested withdrawal and the first step of its lifecycle. */
  async insertWithdrawal(tx: Tx, row: Omit<Withdrawal, 'recordedAt'>, by: Actor): Promise<Withdrawal> {
    const [added] = await tx.query<[{ recordedAt: Date }]>(INSERT, [
      row.id,
      row.userId,
      row.amount.toString(),
      row.currency,
      row.toAddress,
      row.addressChecksum,
      row.status,
      row.createdAt,
      by.type,
      by.id,
    ]);
    return { ...row, recordedAt: added.recordedAt };
  }

  /** Stores a transition of a locked withdrawal and the step of its lifecycle. */
  async updateWithdrawal(tx: Tx, row: Withdrawal, { verb, by, at, note }: Step): Promise<void> {
    await tx.query(UPDATE, [
      row.id,
      row.status,
      row.approvedAt,
      row.approvedBy,
      row.executedAt,
      row.completedAt,
      row.txHash,
      row.txHashShared,
      row.chainCheck,
      row.chainCheckedAt,
      row.releasedAt,
      row.note,
      verb,
      at,
      by.type,
      by.id,
      note,
      row.chainCheckReason,
      row.cancelledAt,
    ]);
  }

  /** Locks a withdrawal until the commit. Throws WITHDRAWAL_NOT_FOUND. */
  async lockWithdrawal(tx: Tx, id: string): Promise<Withdrawal> {
    return (await this.lockIfExists(tx, id)) ?? fail('WITHDRAWAL_NOT_FOUND');
  }

  async lockIfExists(tx: Tx, id: string): Promise<Withdrawal | null> {
    if (!isId(id)) return null;
    return lockEntity(tx, Withdrawal, id);
  }

  findWithdrawal(id: string): Promise<Withdrawal | null> {
    return this.withdrawals.findOneBy({ id });
  }

  /** A user's withdrawals, newest first. */
  async findPageOfUser(userId: string, page: { page: number; limit: number }): Promise<Rows<Withdrawal>> {
    const [rows, total] = await this.withdrawals.findAndCount({
      where: { userId },
      order: { createdAt: 'desc', id: 'desc' },
      skip: offsetOf(page),
      take: page.limit,
    });
    return { rows, total };
  }

  /** The used part of the daily limit at `at`. It cannot grow while the caller holds the lock on the user's balance. */
  async sumInLimitWindow(tx: Tx, userId: string, at: Date): Promise<Money> {
    const [row] = await tx.query<{ used: string }[]>(USED, [userId, windowStart(at)]);
    return Money.of(row?.used ?? '0');
  }

  /** As `sumInLimitWindow`, without a lock, and who has paused withdrawals, in one statement; null while they are open. */
  async getAllowance(userId: string, at: Date): Promise<{ used: Money; pausedBy: string | null }> {
    const [row] = await this.withdrawals.query<{ used: string; pausedBy: string | null }[]>(
      `select ${usedOfDailyLimit('$1', '$2')} as used,
              (select paused_by from withdrawal_pause where resumed_at is null) as "pausedBy"`,
      [userId, windowStart(at)],
    );
    return { used: Money.of(row?.used ?? '0'), pausedBy: row?.pausedBy ?? null };
  }
}
