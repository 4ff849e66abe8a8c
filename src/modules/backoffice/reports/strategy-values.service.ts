import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { dayOf } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import {
  InvestmentTotalsRepository,
  type InvestmentTotals,
} from '../../investing/investments/investment-totals.repository.js';
import type { Strategy } from '../../investing/strategies/entities/strategy.entity.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import type { NavDays } from '../../investing/strategies/strategies.types.js';
import { type Activity, type Figure, ledgerValuesAt, type StrategyValue } from './domain/figures.js';
import type { TimeWindow } from './domain/periods.js';
import { ReportsRepository } from './reports.repository.js';

/** The figures by strategy from which past values are computed. */
export const VALUE_FIGURES: readonly Figure[] = ['principal', 'pendingPrincipal', 'accrued'];

/** A window that has not ended is valued at `now`. `navs` were published before the snapshot was opened. */
interface ValuedWindow {
  readonly window: TimeWindow;
  readonly now: Date;
  readonly navs: NavDays;
}

/** The strategies at the end of a window. */
interface StrategyValues {
  readonly strategies: readonly StrategyValue[];
  /** The time up to which figures of the window include every change. */
  readonly asOf: Date;
}

/** The value and the achieved yield of each strategy at the end of a window. */
@Injectable()
export class StrategyValuesService {
  constructor(
    private readonly reports: ReportsRepository,
    private readonly investments: InvestmentTotalsRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
  ) {}

  /**
   * Present values are computed as lists of investments show them. Past values come from the ledger, which can differ from that by the
   * rounding of single investments; `past` are its figures if the caller has read them already.
   */
  async getValues(
    snapshot: Snapshot,
    { window, now, navs }: ValuedWindow,
    past?: Activity,
  ): Promise<StrategyValues> {
    const asOf = await this.reports.getAsOf(snapshot);
    if (window.to <= now) {
      const activity = past ?? (await this.reports.getActivity(snapshot, [window.to], VALUE_FIGURES));
      return { strategies: ledgerValuesAt(activity, window.to, this.strategies.all), asOf };
    }
    const present = await this.investments.sumInvestments({}, navs, snapshot.manager);
    return {
      strategies: presentValues(present.totals, this.strategies.all),
      asOf: present.asOf < asOf ? present.asOf : asOf,
    };
  }

  /** Percent a year by strategy; null before the first full day of a strategy. */
  async getAchievedApys(
    snapshot: Snapshot,
    { window, now, navs }: ValuedWindow,
  ): Promise<ReadonlyMap<string, Money | null>> {
    if (window.to > now) return new Map([...navs].map(([id, day]) => [id, day.achievedApy ?? null]));
    return this.navs.findAchievedApys(snapshot.manager, dayOf(new Date(window.to.getTime() - 1)));
  }
}

/** The present values, from the sums of all investments. */
function presentValues(
  totals: readonly InvestmentTotals[],
  strategies: readonly Strategy[],
): StrategyValue[] {
  return strategies.map((strategy) => {
    const valueOf = (...statuses: InvestmentTotals['status'][]) =>
      Money.sum(
        totals
          .filter(({ strategyId, status }) => strategyId === strategy.id && statuses.includes(status))
          .map(({ value }) => value),
      );
    return { strategy, value: valueOf('pending', 'active'), tvl: valueOf('active') };
  });
}
