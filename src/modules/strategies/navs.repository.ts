import type { EntityManager } from 'typeorm';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { Day } from '../../common/days.js';
import { Money } from '../../common/money.js';

/** The day that a strategy has come to, and the values of a unit that are published for it. */
export interface NavDay {
  readonly strategyId: string;
  readonly day: Day;
  /** In force on `day`. */
  readonly nav: Money;
  /** In force on the day after. */
  readonly next: Money;
  /** The last day, up to `day`, on which the value changed; left out where that was not asked for or never happened. */
  readonly changedOn?: Day;
}

/** The newest day of a strategy; undefined before its first. */
export async function newestDay(manager: EntityManager, strategyId: string): Promise<NavDay | undefined> {
  const [next, today] = await manager.query<{ day: Day; nav: string }[]>(
    prepared('select day, nav from strategy_nav where strategy_id = $1 order by day desc limit 2'),
    [strategyId],
  );
  return next && today
    ? { strategyId, day: today.day, nav: Money.of(today.nav), next: Money.of(next.nav) }
    : undefined;
}

/** The day with the last day up to it on which the value was another than the day before. */
export async function withLastChange(manager: EntityManager, day: NavDay): Promise<NavDay> {
  const [row] = await manager.query<{ day: Day }[]>(
    `select day from strategy_nav as newer
      where strategy_id = $1 and day <= $2
        and nav <> (select nav from strategy_nav as older where older.strategy_id = $1 and older.day = newer.day - 1)
      order by day desc limit 1`,
    [day.strategyId, day.day],
  );
  return row ? { ...day, changedOn: row.day } : day;
}

/** The last day whose value is not a suspended one's: the values after it are the same. */
export async function flatSince(manager: EntityManager, strategyId: string): Promise<Day> {
  const [row] = await manager.query<{ day: Day }[]>(
    `select day from strategy_nav where strategy_id = $1 and source <> 'suspended' order by day desc limit 1`,
    [strategyId],
  );
  if (!row) throw new Error(`strategy ${strategyId} has no value`);
  return row.day;
}

/** Waits until nothing that moves units of the strategy is in flight, and keeps it so until the transaction ends. */
export async function lockNavDayExclusive(tx: Tx, strategyId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('strategy ' || $1, 0))`, [strategyId]);
}

/** Any number may move units at once, but none while a day is rolled. */
export async function lockNavDayShared(tx: Tx, strategyId: string): Promise<void> {
  await tx.query(prepared(`select pg_advisory_xact_lock_shared(hashtextextended('strategy ' || $1, 0))`), [
    strategyId,
  ]);
}
