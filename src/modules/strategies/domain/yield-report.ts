import type { Tx } from '../../../database/unit-of-work.js';
import { addDays, type Day } from '../../../common/days.js';
import { fail } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { yieldRealised } from '../../ledger/postings.js';
import type { Strategy } from './catalogue.js';
import type { NavDayLock } from '../navs.service.js';

/** What a custody provider's report says, understood. */
export interface Report {
  readonly eventId: string;
  readonly strategy: Strategy;
  readonly day: Day;
  /** Achieved, percent a year. */
  readonly apy: Money;
  /** USDC received; null where the report does not say. */
  readonly realised: Money | null;
}

/** The rate that a day has so far. */
export interface Used {
  readonly apy: Money;
  readonly suspended: boolean;
}

const DAYS_AHEAD = 31; // a report for later is a mistake

/**
 * The rate that the day has so far: of the newest report taken in, else of the published value, else the target.
 * Throws VALIDATION_ERROR for a day before the strategy's first or more than 31 days ahead.
 */
export async function usedFor(
  tx: Tx,
  { strategy, day }: Pick<Report, 'strategy' | 'day'>,
  today: NavDayLock,
): Promise<Used> {
  const latest = addDays(today.day, DAYS_AHEAD);
  if (day > latest) refuseDay(`at most ${latest}`);
  const [row] = await tx.query<
    { first: Day; source: string | null; published: string | null; reported: string | null }[]
  >(
    `select (select min(day) from strategy_nav where strategy_id = $1) as first,
            published.source, published.apy as published,
            (select apy from yield_report
              where strategy_id = $1 and day = $2 and state in ('rate', 'fold')
              order by sequence desc limit 1) as reported
       from (select) as always
       left join strategy_nav as published on published.strategy_id = $1 and published.day = $3`,
    [strategy.id, day, addDays(day, 1)],
  );
  if (!row || day < row.first) return refuseDay(`from ${row?.first} to ${latest}`);
  return {
    apy: Money.of(row.reported ?? row.published ?? strategy.apy.toString()),
    suspended: row.source === 'suspended',
  };
}

function refuseDay(bounds: string): never {
  return fail('VALIDATION_ERROR', [{ field: 'day', message: `must be ${bounds}` }]);
}

/** How a report that is taken in works, by where its day stands. */
export function effectOf(
  { day }: Pick<Report, 'day'>,
  used: Used,
  today: NavDayLock,
): 'rate' | 'fold' | 'ignored' {
  if (used.suspended) return 'ignored'; // its value stays flat
  return day > today.day ? 'rate' : 'fold';
}

/** The realised yield of a day once a report is taken in, and what that adds to the amount posted before. */
export interface Realised {
  readonly total: Money;
  readonly difference: Money;
}

/**
 * A report replaces the amount of the report of the same day that was taken in before it; one that states no amount
 * leaves it as it is. Call it under the lock of the strategy's day and before the report is stored as taken in.
 */
export async function realisedBy(
  tx: Tx,
  { strategy, day, realised }: Pick<Report, 'strategy' | 'day' | 'realised'>,
): Promise<Realised> {
  const [row] = await tx.query<{ realised_amount: string }[]>(
    `select realised_amount from yield_report
      where strategy_id = $1 and day = $2 and state in ('rate', 'fold', 'ignored')
      order by sequence desc limit 1`,
    [strategy.id, day],
  );
  const before = Money.of(row?.realised_amount ?? '0');
  const total = realised ?? before;
  return { total, difference: total.minus(before) };
}

export function realisedPosting(
  { eventId, strategy }: Pick<Report, 'eventId' | 'strategy'>,
  { difference }: Realised,
  at: Date,
): ReturnType<typeof yieldRealised> {
  return yieldRealised({ reportId: eventId, strategyId: strategy.id, amount: difference, at });
}
