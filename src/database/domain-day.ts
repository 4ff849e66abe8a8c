import type { EntityManager } from 'typeorm';
import type { Clock } from '../common/clock.js';
import type { Day } from '../common/days.js';
import { prepared } from './prepared.js';
import type { Snapshot } from './snapshots.js';

// The current UTC day by the database's clock, which all processes share.

/** The current day, with the offset that tests and the sandbox give the domain clock. */
export async function databaseDay(manager: EntityManager, clock: Clock): Promise<Day> {
  const [row] = await manager.query<{ day: Day }[]>(
    prepared(
      // The inner query, which `offset 0` keeps apart, sets the clock's offset before domain_today() reads it.
      `select domain_today() as day
         from (select set_config('platform.clock_offset_ms', $1, true) as offset_ms offset 0) as clock
        where offset_ms is not null`,
    ),
    [String(clock.offsetMs)],
  );
  if (!row) throw new Error('domain_today() returned no row');
  return row.day;
}

/** Sets the offset that domain_today(), which triggers call, adds in this transaction. Does nothing if the offset is zero. */
export async function setClockOffset(
  transaction: Pick<EntityManager, 'query'> | Snapshot,
  { offsetMs }: Clock,
): Promise<void> {
  if (offsetMs === 0) return;
  await transaction.query(`select set_config('platform.clock_offset_ms', $1, true)`, [String(offsetMs)]);
}
