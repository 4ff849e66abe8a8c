import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../database/unit-of-work.js';
import { addDays, startOfDay, type Day } from '../../../common/days.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../common/money.js';
import { LedgerService } from '../../core/ledger/ledger.service.js';
import { growthAccrued } from '../../core/ledger/domain/postings.js';
import type { Strategy, StrategyNav } from './entities/strategy.entity.js';
import { targetApyOf, correctionFactor, dailyFactor } from './domain/apy.js';
import { NavsRepository } from './strategies.repository.js';
import { StrategiesService } from './strategies.service.js';
import type { NavDay } from './strategies.types.js';
import { YieldReportsRepository } from './yield-reports.repository.js';

const ONE = Money.of('1');
const CORRECTION_SCALE = 2 * UNIT_SCALE; // twice the decimals of a NAV, which the factor multiplies

/** How the value of a day follows from the value of the day before. */
type Rate = Pick<StrategyNav, 'apy' | 'correction' | 'source'>;

/** Publishes the next value and posts the growth that the new day shows. */
@Injectable()
export class NavPublishingService {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly ledger: LedgerService,
    private readonly repository: NavsRepository,
    private readonly reports: YieldReportsRepository,
  ) {}

  /** Publishes the first unpublished day, unless it is after `today`, and returns the newest published day. */
  async publishNextDay(tx: Tx, strategy: Strategy, today: Day): Promise<NavDay> {
    await this.repository.lockNavDayExclusive(tx, strategy.id);
    const newest = await this.repository.findNewestDay(strategy.id, tx);
    if (!newest) return this.publishFirstDay(tx, strategy, today);
    if (newest.day >= today) return newest; // another process published it first
    const day = addDays(newest.day, 1);
    const next = await this.publishNavAfter(tx, strategy, day, newest.next);
    await this.accrueGrowth(tx, newest, day);
    return { strategyId: strategy.id, day, nav: newest.next, next };
  }

  private async publishFirstDay(tx: Tx, strategy: Strategy, day: Day): Promise<NavDay> {
    const { id: strategyId, apy } = strategy;
    await this.repository.insertNav(tx, { strategyId, day, nav: ONE, apy, correction: ONE, source: 'first' });
    const next = await this.publishNavAfter(tx, strategy, day, ONE);
    const accrual = { strategyId, day, units: Money.ZERO, growth: Money.ZERO, carry: Money.ZERO };
    await this.repository.insertAccrual(tx, accrual);
    return { strategyId, day, nav: ONE, next };
  }

  /** Publishes the value of the day after `day` and returns it. `nav` is the value of `day`. */
  private async publishNavAfter(tx: Tx, strategy: Strategy, day: Day, nav: Money): Promise<Money> {
    const rate = await this.rateOf(tx, strategy, day);
    const next = nav.times(dailyFactor(rate.apy)).times(rate.correction).roundHalfEven(UNIT_SCALE);
    await this.repository.insertNav(tx, {
      strategyId: strategy.id,
      day: addDays(day, 1),
      nav: next,
      ...rate,
    });
    return next;
  }

  /**
   * The report of the day that was applied last sets the rate. Each report of an earlier day whose value was published before
   * (`fold`) adds a factor that corrects the rate which that day had before the report.
   */
  private async rateOf(tx: Tx, strategy: Strategy, day: Day): Promise<Rate> {
    if (this.strategies.isSuspended(strategy.id))
      return { apy: Money.ZERO, correction: ONE, source: 'suspended' };
    const reports = await this.reports.claimOpenReports(tx, strategy.id, day);
    const reported = reports.findLast(({ state }) => state === 'rate');
    const correction = reports
      .filter(({ state }) => state === 'fold')
      .map(({ apy, usedApy }) => correctionFactor(apy, usedApy))
      .reduce((product, factor) => product.times(factor).roundHalfEven(CORRECTION_SCALE), ONE);
    return reported
      ? { apy: reported.apy, correction, source: 'reported' }
      : { apy: targetApyOf(strategy, day), correction, source: 'target' };
  }

  /**
   * Posts the growth that `day` shows: earning units (`StrategyAccrual`) times the rise of their value. The part below
   * the sixth decimal is carried into the next day, so that the sum of all postings is always the rounded sum of all
   * growth.
   */
  private async accrueGrowth(tx: Tx, before: NavDay, day: Day): Promise<void> {
    const { strategyId } = before;
    const last = await this.repository.getAccrual(tx, strategyId, before.day);
    const units = last.units.plus(await this.repository.sumEarningUnitsChange(tx, strategyId, day));
    const exact = units.times(before.next.minus(before.nav)).plus(last.carry);
    const growth = exact.roundHalfEven(MICRO_SCALE);
    await this.repository.insertAccrual(tx, { strategyId, day, units, growth, carry: exact.minus(growth) });
    await this.ledger.post(tx, growthAccrued({ strategyId, day, growth, at: startOfDay(day) }));
  }
}
