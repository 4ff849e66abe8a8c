import { dayOf, type Day } from '../../../../common/days.js';
import { MICRO_SCALE, Money } from '../../../../common/money.js';

/** Amounts that the closings of a user's investments settled in a month. */
export interface MonthlySettlement {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly strategyId: string;
  /** Growth that was taken back, or left out of the price. */
  readonly forfeited: Money;
  readonly managementFees: Money;
  readonly performanceFees: Money;
}

/** What the investments in a strategy earned in a month. */
export interface MonthlyIncome {
  readonly month: string;
  readonly strategyId: string;
  /** Earned on the days of the month; a loss is negative. */
  readonly growth: Money;
  readonly forfeited: Money;
  /** Growth less forfeited growth. */
  readonly income: Money;
}

/** The months of the year of `lastDay`, the last one up to that day. */
export function monthsUntil(lastDay: Day): { from: Day; to: Day }[] {
  const year = lastDay.slice(0, 4);
  const count = Number(lastDay.slice(5, 7));
  return Array.from({ length: count }, (_, index) => {
    const month = `${year}-${String(index + 1).padStart(2, '0')}`;
    const end = dayOf(new Date(Date.UTC(Number(year), index + 1, 0)));
    return { from: `${month}-01`, to: end < lastDay ? end : lastDay };
  });
}

/** The months and strategies with growth or a settlement, in their order. */
export function incomeByMonth(
  growth: readonly { readonly month: string; readonly strategyId: string; readonly growth: Money }[],
  settlements: readonly MonthlySettlement[],
): MonthlyIncome[] {
  const incomes = new Map<string, MonthlyIncome>();
  const add = (month: string, strategyId: string, earned: Money, forfeited: Money) => {
    const key = `${month} ${strategyId}`;
    const before = incomes.get(key);
    incomes.set(key, {
      month,
      strategyId,
      growth: earned.plus(before?.growth ?? Money.ZERO),
      forfeited: forfeited.plus(before?.forfeited ?? Money.ZERO),
      income: earned.minus(forfeited).plus(before?.income ?? Money.ZERO),
    });
  };
  for (const { month, strategyId, growth: earned } of growth) add(month, strategyId, earned, Money.ZERO);
  for (const { month, strategyId, forfeited } of settlements) add(month, strategyId, Money.ZERO, forfeited);
  return [...incomes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, income]) => income)
    .filter(({ growth: earned, forfeited }) => !earned.isZero() || !forfeited.isZero());
}

// Computes what disposed units have cost, from all acquisitions and disposals of a user. Units of one strategy are alike, whatever
// investments they are in: the first acquired units are disposed of first (FIFO), or all have the same cost (average).

export const COST_METHODS = ['fifo', 'average'] as const;
export type CostMethod = (typeof COST_METHODS)[number];

export type DisposalKind = 'closing' | 'partial-closing' | 'move' | 'cancellation';

interface UnitsChange {
  readonly strategyId: string;
  readonly at: Date;
  readonly investmentId: string;
  readonly units: Money;
}

interface Acquisition extends UnitsChange {
  readonly kind: 'acquisition';
  /** The principal, USDC. */
  readonly cost: Money;
}

/** Units that left an investment. Amounts are in USDC. */
interface UnitsDisposed extends UnitsChange {
  readonly kind: DisposalKind;
  /** Before fees. */
  readonly proceeds: Money;
  readonly fees: Money;
  /** The principal that left the investment with the units. */
  readonly lotCost: Money;
}

export type UnitEvent = Acquisition | UnitsDisposed;

export interface Disposal extends UnitsDisposed {
  /** The cost of the units by the method. */
  readonly cost: Money;
  /** Proceeds less cost; a loss is negative. */
  readonly gain: Money;
  /** Proceeds less `lotCost`: what the ledger booked as growth. */
  readonly lotGain: Money;
  /** Gain less `lotGain`. */
  readonly difference: Money;
}

/** The units of a strategy that are left after all events. */
export interface Holding {
  readonly strategyId: string;
  readonly units: Money;
  /** The cost of the units by the method. */
  readonly cost: Money;
  /** The principal of the open investments. */
  readonly lotCost: Money;
}

/**
 * The disposals among the events, which are in the order of their postings and begin with the first one of the user. Over all time the
 * differences of a strategy add up to `cost` less `lotCost` of its holding.
 */
export function disposalsOf(
  events: readonly UnitEvent[],
  method: CostMethod,
): { disposals: Disposal[]; holdings: Holding[] } {
  const pools = new Map<string, UnitPool>();
  const lotCosts = new Map<string, Money>();
  const disposals: Disposal[] = [];
  for (const event of events) {
    const { strategyId, units } = event;
    const pool = pools.get(strategyId) ?? (method === 'fifo' ? new LotQueue() : new AveragePool());
    pools.set(strategyId, pool);
    const lotCost = lotCosts.get(strategyId) ?? Money.ZERO;
    if (event.kind === 'acquisition') {
      pool.addUnits(units, event.cost);
      lotCosts.set(strategyId, lotCost.plus(event.cost));
    } else {
      disposals.push(disposalOf(event, pool.removeUnits(units)));
      lotCosts.set(strategyId, lotCost.minus(event.lotCost));
    }
  }
  const holdings = [...pools].map(([strategyId, { units, cost }]) => ({
    strategyId,
    units,
    cost,
    lotCost: lotCosts.get(strategyId) as Money,
  }));
  return { disposals, holdings: holdings.filter(({ units }) => !units.isZero()) };
}

function disposalOf(disposed: UnitsDisposed, cost: Money): Disposal {
  const { proceeds, lotCost } = disposed;
  const gain = proceeds.minus(cost);
  const lotGain = proceeds.minus(lotCost);
  return { ...disposed, cost, gain, lotGain, difference: gain.minus(lotGain) };
}

interface UnitPool {
  readonly units: Money;
  readonly cost: Money;
  addUnits(units: Money, cost: Money): void;
  /** The cost of the units, which leave the pool. */
  removeUnits(units: Money): Money;
}

/** All units have the same cost. */
class AveragePool implements UnitPool {
  units = Money.ZERO;
  cost = Money.ZERO;

  addUnits(units: Money, cost: Money): void {
    this.units = this.units.plus(units);
    this.cost = this.cost.plus(cost);
  }

  removeUnits(units: Money): Money {
    if (units.isMoreThan(this.units)) throw new RangeError('more units leave the pool than it has');
    const cost = shareOf(this.cost, units, this.units);
    this.units = this.units.minus(units);
    this.cost = this.cost.minus(cost);
    return cost;
  }
}

/** The units that were acquired first leave first. */
class LotQueue implements UnitPool {
  private readonly lots: AveragePool[] = [];
  /** Lots before this index are empty. */
  private first = 0;

  get units(): Money {
    return Money.sum(this.lots.map(({ units }) => units));
  }

  get cost(): Money {
    return Money.sum(this.lots.map(({ cost }) => cost));
  }

  addUnits(units: Money, cost: Money): void {
    const lot = new AveragePool();
    lot.addUnits(units, cost);
    this.lots.push(lot);
  }

  removeUnits(units: Money): Money {
    let rest = units;
    let cost = Money.ZERO;
    while (rest.isPositive()) {
      const lot = this.lots[this.first];
      if (!lot) throw new RangeError('more units leave the pool than it has');
      const taken = Money.min(rest, lot.units);
      cost = cost.plus(lot.removeUnits(taken));
      rest = rest.minus(taken);
      if (lot.units.isZero()) this.first++;
    }
    return cost;
  }
}

/** Rounded half to even to six decimals; the share of all units is the whole cost. The rest stays with the remaining units. */
function shareOf(cost: Money, units: Money, allUnits: Money): Money {
  return cost.times(units).dividedBy(allUnits).roundHalfEven(MICRO_SCALE);
}
