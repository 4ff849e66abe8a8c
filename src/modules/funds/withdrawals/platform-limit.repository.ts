import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findRows, readRow } from '../../../database/entity-rows.js';
import { all, lockName, read } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Money } from '../../../common/money.js';
import { dayWindowStart } from './domain/limit-windows.js';
import { Withdrawal } from './entities/withdrawal.entity.js';
import { countsForLimits } from './withdrawals.repository.js';

export interface PlatformSums {
  /** The withdrawals of the last 24 hours, by the time of the request or, if they were held, of the release. */
  readonly used: Money;
  /** Held withdrawals, without those that exceed the limit alone. */
  readonly waiting: Money;
}

type StoredSums = Record<keyof PlatformSums, string>;

const COUNTS = countsForLimits('withdrawal');
const IS_HELD = `status = 'pending' and platform_held_at is not null and platform_released_at is null`;

/** Each part has an index: `withdrawal_counted_of_platform`, `withdrawal_released_to_platform`, `withdrawal_held`. */
const SUMS = `
  select (select coalesce(sum(amount), 0) from withdrawal where ${COUNTS} and platform_held_at is null and created_at > $1)
       + (select coalesce(sum(amount), 0) from withdrawal
           where ${COUNTS} and platform_released_at is not null and platform_released_at > $1) as used,
         (select coalesce(sum(amount), 0) from withdrawal where ${IS_HELD} and amount <= $2) as waiting`;

/** Sums of the withdrawals of all users, and the withdrawals that wait because of PLATFORM_WITHDRAWAL_PER_DAY. */
@Injectable()
export class PlatformLimitRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Serialises the decisions about the limit until the commit. It is the caller's last lock, so that locks form no cycle. */
  async lockSums(tx: Tx, at: Date, limit: Money): Promise<PlatformSums> {
    const [, [row]] = await all(
      lockName(tx, 'platform-withdrawals'),
      read<StoredSums>(tx, SUMS, [dayWindowStart(at), limit.toString()]),
    );
    return toSums(row);
  }

  async getSums(at: Date, limit: Money): Promise<PlatformSums> {
    const [row] = await this.dataSource.query<StoredSums[]>(SUMS, [dayWindowStart(at), limit.toString()]);
    return toSums(row);
  }

  /** Ids of held withdrawals of at most `limit`, or of any amount without a limit, the oldest first. */
  async findHeld(limit: Money | undefined, count: number): Promise<string[]> {
    const held = await findRows(
      this.dataSource.manager,
      Withdrawal,
      `where ${IS_HELD} and ($1::numeric is null or amount <= $1) order by created_at, id limit $2`,
      [limit?.toString() ?? null, count],
    );
    return held.map(({ id }) => id);
  }

  /** Locks the withdrawal. Undefined if it is not held any more, or if another transaction has locked it. */
  lockHeld(tx: Tx, id: string): Promise<Withdrawal | undefined> {
    return readRow(tx, Withdrawal, `where id = $1 and ${IS_HELD} for update skip locked`, [id]);
  }
}

function toSums(row: StoredSums | undefined): PlatformSums {
  return { used: Money.of(row?.used ?? '0'), waiting: Money.of(row?.waiting ?? '0') };
}
