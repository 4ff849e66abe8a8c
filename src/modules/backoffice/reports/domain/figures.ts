import { MICRO_SCALE, Money } from '../../../../common/money.js';
import { percentOfCount, percentOrNull } from '../../../../common/ratio.js';
import type { Strategy } from '../../../investing/strategies/entities/strategy.entity.js';
import type { TimeWindow } from './periods.js';

/**
 * Figures that the database sums up by hour and day, and their columns of `report_rollup`. `holders` are users with an open investment,
 * `settled` completed deposits and withdrawals, `settledMs` the sum of their durations. PostgreSQL returns counts and amounts as decimal
 * text; both are read as `Money`.
 */
export const FIGURES = {
  users: 'users',
  holders: 'holders',
  investmentsMade: 'made',
  investmentsMadePrincipal: 'made_amount',
  active: 'active',
  pending: 'pending',
  principal: 'principal',
  pendingPrincipal: 'pending_principal',
  accrued: 'accrued',
  managementFees: 'management_fees',
  performanceFees: 'performance_fees',
  settled: 'settled',
  settledMs: 'settled_ms',
} as const;

export type Figure = keyof typeof FIGURES;

/** Figures that may become JSON numbers, since they are not money. */
type Count = Extract<Figure, 'users' | 'holders' | 'investmentsMade' | 'active' | 'pending' | 'settled'>;

/**
 * The sum of the changes of one strategy's figures between two boundaries. `strategyId` is `''` for figures without a strategy,
 * and if the figures were read for all strategies together. `boundariesUpTo` is the number of boundaries at or before the
 * change, and so the index of the first boundary whose value includes it.
 */
export type ActivityRow = { boundariesUpTo: number; strategyId: string } & Partial<Record<Figure, string>>;

/** A value as a number; only for figures that are not money. */
export function toCount(value: Money): number {
  return Number(value.toString());
}

/** The values of figures at given times, which are called boundaries. */
export class Activity {
  /** Values at each boundary, by figure and strategy. */
  private readonly values = new Map<string, Money[]>();
  private readonly counts = new Map<string, number[]>();
  private readonly indexes: ReadonlyMap<number, number>;

  constructor(
    /** In milliseconds, in ascending order. */
    boundaries: readonly number[],
    private readonly rows: readonly ActivityRow[],
    private readonly isByStrategy: boolean,
  ) {
    this.indexes = new Map(boundaries.map((boundary, index) => [boundary, index]));
  }

  /** The value of a figure at one of the boundaries, of one strategy or of all together. */
  valueAt(moment: Date, figure: Figure, strategyId?: string): Money {
    return this.atBoundary(this.valuesOf(figure, strategyId), moment);
  }

  countAt(moment: Date, figure: Count, strategyId?: string): number {
    const key = keyOf(figure, strategyId);
    const counts = this.counts.get(key) ?? this.valuesOf(figure, strategyId).map(toCount);
    this.counts.set(key, counts);
    return this.atBoundary(counts, moment);
  }

  /** The value at `to` less the value at `from`, both of which are boundaries. */
  changeIn({ from, to }: { from: Date; to: Date }, figure: Figure, strategyId?: string): Money {
    return this.valueAt(to, figure, strategyId).minus(this.valueAt(from, figure, strategyId));
  }

  private atBoundary<Value>(values: readonly Value[], moment: Date): Value {
    const value = values[this.indexes.get(moment.getTime()) ?? -1];
    if (value === undefined) throw new Error(`${moment.toISOString()} is not a boundary`);
    return value;
  }

  private valuesOf(figure: Figure, strategyId?: string): Money[] {
    const key = keyOf(figure, strategyId);
    const cached = this.values.get(key);
    if (cached) return cached;
    if (strategyId !== undefined && !this.isByStrategy)
      throw new Error('the figures were not read by strategy');
    // For each boundary, the sum of the changes since the boundary before it.
    const changes = Array.from(this.indexes, () => Money.ZERO);
    for (const row of this.rows) {
      if (strategyId !== undefined && row.strategyId !== strategyId) continue;
      const amount = row[figure];
      if (amount === undefined) throw new Error(`${figure} was not read`);
      if (amount === '0') continue; // most values are zero and need no conversion
      const sum = changes[row.boundariesUpTo]; // undefined for a change after the last boundary
      if (sum) changes[row.boundariesUpTo] = sum.plus(Money.of(amount));
    }
    let value = Money.ZERO;
    const values = changes.map((change) => {
      value = value.plus(change);
      return value;
    });
    this.values.set(key, values);
    return values;
  }
}

function keyOf(figure: Figure, strategyId = '*'): string {
  return `${figure} ${strategyId}`;
}

// Key figures of reports: fees, values and ratios.

const DAYS_PER_YEAR = Money.of('365');

/** Fees that the income accounts received. */
export interface Fees {
  readonly management: Money;
  readonly performance: Money;
  readonly total: Money;
}

/** The fees of a strategy, or of all strategies together. */
export function feesIn(activity: Activity, window: TimeWindow, strategyId?: string): Fees {
  const management = activity.changeIn(window, 'managementFees', strategyId);
  const performance = activity.changeIn(window, 'performanceFees', strategyId);
  return { management, performance, total: management.plus(performance) };
}

/** Extrapolates the revenue of some days to a year. */
export function projectedAnnual(revenue: Money, days: number): Money {
  return revenue
    .times(DAYS_PER_YEAR)
    .dividedBy(Money.of(String(days)))
    .roundHalfEven(MICRO_SCALE);
}

/** The values of the investments in a strategy at one moment. Not rounded. */
export interface StrategyValue {
  readonly strategy: Strategy;
  /** The value of open investments: pending, active and paused. */
  readonly value: Money;
  /** The value of active and paused investments. */
  readonly tvl: Money;
}

/** The values in the ledger: the principal, and the growth that is owed to the holders. */
export function ledgerValuesAt(
  activity: Activity,
  moment: Date,
  strategies: readonly Strategy[],
): StrategyValue[] {
  return strategies.map((strategy) => {
    const accrued = activity.valueAt(moment, 'accrued', strategy.id);
    // Without open investments, rounding can leave a millionth in strategy.accrued, which is owed to no holder.
    const withGrowth = (principal: Money) => (principal.isZero() ? Money.ZERO : principal.plus(accrued));
    const principal = activity.valueAt(moment, 'principal', strategy.id);
    const pending = activity.valueAt(moment, 'pendingPrincipal', strategy.id);
    const tvl = withGrowth(principal.minus(pending));
    return { strategy, value: pending.plus(tvl), tvl };
  });
}

/** The value of all open investments, rounded once. */
export function totalValue(values: readonly StrategyValue[]): Money {
  return Money.sum(values.map(({ value }) => value)).roundHalfEven(MICRO_SCALE);
}

/** The change between two amounts in percent; null if the first one is zero. */
export function changePercent(before: Money, now: Money): number | null {
  return percentOrNull(now.minus(before), before);
}

/** `part` of `whole` users in percent; null if `whole` is zero. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : percentOfCount(part, whole);
}
