import type { EntityManager } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import type { Day } from '../../kernel/days.js';
import { Money } from '../../kernel/money.js';

/** The day that a strategy has come to, and the values of a unit that are published for it. */
export interface NavDay {
  readonly strategyId: string;
  readonly day: Day;
  /** In force on `day`. */
  readonly nav: Money;
  /** In force on the day after. */
  readonly next: Money;
}

/** The newest day of a strategy; undefined before its first. */
export async function newestDay(manager: EntityManager, strategyId: string): Promise<NavDay | undefined> {
  const [next, today] = await manager.query<{ day: Day; nav: string }[]>(
    'select day, nav from strategy_nav where strategy_id = $1 order by day desc limit 2',
    [strategyId],
  );
  return next && today
    ? { strategyId, day: today.day, nav: Money.of(today.nav), next: Money.of(next.nav) }
    : undefined;
}

/** Waits until nothing that moves units of the strategy is in flight, and keeps it so until the transaction ends. */
export async function lockForRolling(tx: Tx, strategyId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('strategy ' || $1, 0))`, [strategyId]);
}

/** Any number may move units at once, but none while a day is rolled. */
export async function lockForMoving(tx: Tx, strategyId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(hashtextextended('strategy ' || $1, 0))`, [strategyId]);
}
