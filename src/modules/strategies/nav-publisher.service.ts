import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { addDays, startOfDay, type Day } from '../../common/days.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../common/money.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { grown } from '../ledger/postings.js';
import type { Strategy } from './domain/catalogue.js';
import { correctionFactor, dailyFactor } from './domain/daily-factor.js';
import { earningUnitsChange } from './earning-units.js';
import { lockNavDayExclusive, newestDay, type NavDay } from './navs.repository.js';
import { StrategiesService } from './strategies.service.js';

const ONE = Money.of('1');
const EXACT_SCALE = 2 * UNIT_SCALE; // units times a difference of values

type Source = 'first' | 'target' | 'reported' | 'suspended';

/** How a day's value follows from the one before. */
interface Rate {
  readonly apy: Money;
  readonly correction: Money;
  readonly source: Source;
}

interface ReportRow {
  sequence: string;
  state: 'rate' | 'fold';
  apy: string;
  used_apy: string;
}

/** Brings a strategy one day forward: publishes the next value and posts the growth that the new day shows. */
@Injectable()
export class NavPublisher {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly ledger: LedgerService,
  ) {}

  /** Begins the first day that has not begun yet, if it is not after `today`. Answers where the strategy is then. */
  async oneDay(tx: Tx, strategy: Strategy, today: Day): Promise<NavDay> {
    await lockNavDayExclusive(tx, strategy.id);
    const newest = await newestDay(tx, strategy.id);
    if (!newest) return this.firstDay(tx, strategy, today);
    if (newest.day >= today) return newest; // another replica was faster
    const day = addDays(newest.day, 1);
    const next = await this.publish(tx, strategy, day, newest.next);
    await this.accrue(tx, newest, day);
    return { strategyId: strategy.id, day, nav: newest.next, next };
  }

  private async firstDay(tx: Tx, strategy: Strategy, day: Day): Promise<NavDay> {
    await insertNav(tx, strategy.id, day, ONE, { apy: strategy.apy, correction: ONE, source: 'first' });
    const next = await this.publish(tx, strategy, day, ONE);
    await insertAccrual(tx, strategy.id, day, { units: Money.ZERO, growth: Money.ZERO, carry: Money.ZERO });
    return { strategyId: strategy.id, day, nav: ONE, next };
  }

  /** When a day begins, the value of the day after it is published. */
  private async publish(tx: Tx, strategy: Strategy, day: Day, nav: Money): Promise<Money> {
    const rate = await this.rateOf(tx, strategy, day);
    const next = nav.times(dailyFactor(rate.apy)).times(rate.correction).roundHalfEven(UNIT_SCALE);
    await insertNav(tx, strategy.id, addDays(day, 1), next, rate);
    return next;
  }

  /** What was reported for the day sets its rate; what came too late for its own day is made up for now. */
  private async rateOf(tx: Tx, strategy: Strategy, day: Day): Promise<Rate> {
    if (this.strategies.isSuspended(strategy.id))
      return { apy: Money.ZERO, correction: ONE, source: 'suspended' };
    const [reports] = await tx.query<[ReportRow[], number]>(
      `update yield_report set applied_on = $3
        where strategy_id = $1 and applied_on is null and (state = 'fold' or (state = 'rate' and day = $2))
       returning sequence, state, apy, used_apy`,
      [strategy.id, day, addDays(day, 1)],
    );
    const inOrder = reports.sort((a, b) => (BigInt(a.sequence) < BigInt(b.sequence) ? -1 : 1));
    const reported = inOrder.findLast((report) => report.state === 'rate');
    const correction = inOrder
      .filter((report) => report.state === 'fold')
      .map((report) => correctionFactor(Money.of(report.apy), Money.of(report.used_apy)))
      .reduce((all, factor) => all.times(factor).roundHalfEven(EXACT_SCALE), ONE);
    return reported
      ? { apy: Money.of(reported.apy), correction, source: 'reported' }
      : { apy: strategy.apy, correction, source: 'target' };
  }

  /**
   * Posts the growth that `day` shows: earning units times the rise of their value. What lies below the sixth
   * decimal is carried into the next day, so that all that was posted is always the rounded sum of all growth.
   */
  private async accrue(tx: Tx, before: NavDay, day: Day): Promise<void> {
    const { strategyId } = before;
    const [last] = await tx.query<{ units: string; carry: string }[]>(
      'select units, carry from strategy_accrual where strategy_id = $1 and day = $2',
      [strategyId, before.day],
    );
    if (!last) throw new Error(`strategy ${strategyId} has a value for ${before.day} but no accrual`);
    const units = Money.of(last.units).plus(await earningUnitsChange(tx, strategyId, day));
    const exact = units.times(before.next.minus(before.nav)).plus(Money.of(last.carry));
    const growth = exact.roundHalfEven(MICRO_SCALE);
    await insertAccrual(tx, strategyId, day, { units, growth, carry: exact.minus(growth) });
    await this.ledger.post(tx, grown({ strategyId, day, growth, at: startOfDay(day) }));
  }
}

async function insertNav(tx: Tx, strategyId: string, day: Day, nav: Money, rate: Rate): Promise<void> {
  await tx.query(
    'insert into strategy_nav (strategy_id, day, nav, apy, correction, source) values ($1, $2, $3, $4, $5, $6)',
    [
      strategyId,
      day,
      nav.toFixed(UNIT_SCALE),
      rate.apy.toString(),
      rate.correction.toFixed(EXACT_SCALE),
      rate.source,
    ],
  );
}

async function insertAccrual(
  tx: Tx,
  strategyId: string,
  day: Day,
  { units, growth, carry }: { units: Money; growth: Money; carry: Money },
): Promise<void> {
  await tx.query(
    'insert into strategy_accrual (strategy_id, day, units, growth, carry) values ($1, $2, $3, $4, $5)',
    [strategyId, day, units.toFixed(UNIT_SCALE), growth.toString(), carry.toFixed(EXACT_SCALE)],
  );
}
