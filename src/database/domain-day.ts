import type { EntityManager } from 'typeorm';
import type { Clock } from '../common/clock.js';
import type { Day } from '../common/days.js';
import { prepared } from './prepared.js';
import type { Snapshot } from './snapshots.js';

// The day that has begun by the clock of the database, which all processes share.

/** With the offset of a clock that was moved on purpose, as the clock of a test or of the sandbox is. */
export async function databaseDay(manager: EntityManager, clock: Clock): Promise<Day> {
  const [row] = await manager.query<{ day: Day }[]>(
    prepared(
      // The inner query tells the offset before the function reads it.
      `select domain_today() as day
         from (select set_config('platform.clock_offset_ms', $1, true) as offset_ms offset 0) as told
        where offset_ms is not null`,
    ),
    [String(clock.offsetMs)],
  );
  if (!row) throw new Error('the database did not tell its day');
  return row.day;
}

/** Tells the guards of the database about such an offset, until the transaction ends. Nothing tells one in production. */
export async function tellClockOffset(
  transaction: Pick<EntityManager, 'query'> | Snapshot,
  { offsetMs }: Clock,
): Promise<void> {
  if (offsetMs === 0) return;
  await transaction.query(`select set_config('platform.clock_offset_ms', $1, true)`, [String(offsetMs)]);
}
