import { Money } from '../../src/kernel/money.js';
import type { Moved, Range, World } from './report-world.js';

// What the dashboard and the reports should say, by their definitions, out of every single row: plain loops over
// instants, with nothing in common with the service but the arithmetic.

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
const STRATEGIES: Record<string, { apy: string; weights: [name: string, percent: string][] }> = {
  'conservative-5': {
    apy: '5',
    weights: [
      ['curve', '60'],
      ['convex', '40'],
    ],
  },
  'balanced-10': {
    apy: '10',
    weights: [
      ['pendle', '40'],
      ['curve', '35'],
      ['convex', '25'],
    ],
  },
  'aggressive-20': {
    apy: '20',
    weights: [
      ['pendle', '70'],
      ['convex', '30'],
    ],
  },
};
export const STRATEGY_IDS = Object.keys(STRATEGIES);

const inside =
  ({ from, to }: Range) =>
  ({ at }: { at: number }) =>
    at >= from && at < to;
const sum = (moves: Moved[]) => Money.sum(moves.map(({ amount }) => amount));
const count = (instants: number[], range: Range) => instants.filter((at) => inside(range)({ at })).length;
const percent = (part: Money, whole: Money) =>
  Number(part.times(Money.of('100')).dividedBy(whole).toFixed(2));
const share = (part: number, whole: number) =>
  whole === 0 ? null : percent(Money.of(String(part)), Money.of(String(whole)));
const growth = (before: Money, now: Money) => (before.isZero() ? null : percent(now.minus(before), before));
const average = (total: Money, of: number) =>
  of === 0
    ? '0.00'
    : total
        .dividedBy(Money.of(String(of)))
        .roundHalfEven(6)
        .toWire();
const startOfHour = (at: number) => at - (at % HOUR);
const startOfDay = (at: number) => at - (at % DAY);
const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
const ever = (to: number): Range => ({ from: -Infinity, to });

function activeIn(world: World, { from, to }: Range): Set<string> {
  return new Set(world.stretches.filter((held) => held.from < to && held.to >= from).map(({ user }) => user));
}

function lostBetween(world: World, before: Range, now: Range): number {
  return [...activeIn(world, before)].filter((user) => !activeIn(world, now).has(user)).length;
}

function tvlOf(world: World, strategyId: string, to: number): Money {
  const own = (moves: Moved[]) =>
    sum(moves.filter((move) => move.strategyId === strategyId && inside(ever(to))(move)));
  return own(world.principal).isZero() ? Money.ZERO : own(world.principal).plus(own(world.accrued));
}

const totalValue = (world: World, to: number) => Money.sum(STRATEGY_IDS.map((id) => tvlOf(world, id, to)));

/** Up to the end of the hour that has begun. */
const soFar = ({ from, to }: Range, now: number): number => Math.min(to, startOfHour(now) + HOUR) - from;
const before = (range: Range, now: number): Range => ({
  from: range.from - soFar(range, now),
  to: range.from,
});

function rateOf(world: World, strategyId: string, range: Range): Money {
  const days = { from: startOfDay(range.from), to: range.to };
  const rates = world.rates.filter(
    (rate) => rate.strategyId === strategyId && inside(days)({ at: rate.day }),
  );
  if (rates.length === 0) return Money.of((STRATEGIES[strategyId] as { apy: string }).apy);
  return Money.sum(rates.map(({ apy }) => apy)).dividedBy(Money.of(String(rates.length)));
}

export function periodRange(world: World, period: string, now: number): Range {
  const tomorrow = startOfDay(now) + DAY;
  if (period === '24h') return { from: startOfHour(now) - 23 * HOUR, to: startOfHour(now) + HOUR };
  if (period === 'all') {
    const moves = [world.principal, world.accrued, world.settled].flat().map(({ at }) => at);
    return { from: startOfDay(Math.min(now, ...world.users, ...moves)), to: tomorrow };
  }
  const days = { '7d': 7, '30d': 30, '90d': 90, '1y': 365 }[period] as number;
  return { from: tomorrow - days * DAY, to: tomorrow };
}

export function expectedStats(world: World, period: string, now: number) {
  const range = periodRange(world, period, now);
  const fees = feesIn(world, range);
  const total = totalValue(world, range.to);
  const open = STRATEGY_IDS.map((id) => ({
    id,
    principal: sum(world.principal.filter(({ strategyId }) => strategyId === id)),
  }));
  const principal = Money.sum(open.map((one) => one.principal));
  const weighted = Money.sum(open.map((one) => one.principal.times(rateOf(world, one.id, range))));
  const done = world.settled.filter(inside(range));
  const tookMs = Money.of(String(done.reduce((all, { tookMs }) => all + tookMs, 0)));
  const earlier = count(world.users, before(range, now));
  return {
    users: {
      total: world.users.length,
      active: activeIn(world, range).size,
      new: count(world.users, range),
      growth: share(count(world.users, range) - earlier, earlier),
    },
    investments: {
      total: world.investments.length,
      active: world.investments.filter(({ status }) => status === 'active').length,
      pending: world.investments.filter(({ status }) => status === 'pending').length,
      totalValue: total.toWire(),
    },
    revenue: {
      managementFees: fees.management.toWire(),
      platformRevenue: fees.total.toWire(),
      projectedAnnual: projected(fees.total, range, now),
    },
    protocols: protocols(world, range.to),
    performance: {
      averageAPY: principal.isZero() ? 0 : Number(weighted.dividedBy(principal).toFixed(2)),
      platformUptime: null,
      avgTransactionTime:
        done.length === 0 ? null : Number(tookMs.dividedBy(Money.of(String(done.length))).toFixed(0)),
    },
  };
}

function protocols(world: World, to: number) {
  const tvl = new Map<string, Money>();
  for (const id of STRATEGY_IDS) {
    let left = tvlOf(world, id, to);
    const { weights } = STRATEGIES[id] as (typeof STRATEGIES)[string];
    weights.forEach(([name, weight], place) => {
      const part = tvlOf(world, id, to).times(Money.of(weight)).dividedBy(Money.of('100')).roundDown(6);
      const taken = place === weights.length - 1 ? left : part;
      left = left.minus(taken);
      tvl.set(name, (tvl.get(name) ?? Money.ZERO).plus(taken));
    });
  }
  const total = totalValue(world, to);
  return Object.fromEntries(
    [...tvl].map(([name, held]) => [
      name,
      { tvl: held.toWire(), allocation: total.isZero() ? 0 : percent(held, total) },
    ]),
  );
}

function feesIn(world: World, range: Range, strategyId?: string) {
  const own = (moves: Moved[]) =>
    sum(moves.filter((move) => inside(range)(move) && (!strategyId || move.strategyId === strategyId)));
  const [management, performance] = [own(world.managementFees), own(world.performanceFees)];
  return { management, performance, total: management.plus(performance) };
}

function projected(revenue: Money, range: Range, now: number): string {
  const hours = Money.of(String(soFar(range, now) / HOUR));
  return revenue.times(Money.of('8760')).dividedBy(hours).roundHalfEven(6).toWire(); // 365 × 24
}

export function expectedRevenue(world: World, period: string, breakdown: boolean, now: number) {
  const range = periodRange(world, period, now);
  const fees = feesIn(world, range);
  const days: Range[] = [];
  for (let from = range.from; breakdown && from < range.to; from = startOfDay(from) + DAY)
    days.push({ from, to: Math.min(startOfDay(from) + DAY, range.to) });
  return {
    summary: {
      totalRevenue: fees.total.toWire(),
      managementFees: fees.management.toWire(),
      performanceFees: fees.performance.toWire(),
      projectedAnnual: projected(fees.total, range, now),
      revenueGrowth: growth(feesIn(world, before(range, now)).total, fees.total),
    },
    breakdown: days.map((day) => ({
      date: dayText(day.from),
      revenue: feesIn(world, day).total.toWire(),
      managementFees: feesIn(world, day).management.toWire(),
      userCount: count(world.users, ever(day.to)),
    })),
    byStrategy: STRATEGY_IDS.map((strategyId) => {
      const own = feesIn(world, range, strategyId).total;
      return {
        strategyId,
        revenue: own.toWire(),
        percentage: fees.total.isZero() ? 0 : percent(own, fees.total),
      };
    }),
  };
}

/** Cuts a range where intervals of the calendar begin. */
function intervalsOf({ from, to }: Range, interval: string): Range[] {
  const begins = (at: number) => {
    const date = new Date(at);
    if (interval === 'hourly') return true;
    if (date.getUTCHours() !== 0) return false;
    if (interval === 'daily') return true;
    return interval === 'weekly' ? date.getUTCDay() === 1 : date.getUTCDate() === 1;
  };
  const cuts = [from];
  for (let at = from + HOUR; at < to; at += HOUR) if (begins(at)) cuts.push(at);
  return cuts.map((cut, place) => ({ from: cut, to: cuts[place + 1] ?? to }));
}

export function expectedUsers(world: World, range: Range, interval: string, now: number) {
  const end = interval === 'hourly' ? Math.min(range.to, startOfHour(now) + HOUR) : range.to;
  const points = intervalsOf({ from: range.from, to: end }, interval);
  // The interval of the calendar that comes before lies within the 31 days before.
  const earlier = intervalsOf({ from: range.from - 31 * DAY, to: range.from }, interval).at(-1) as Range;
  const previous = before(range, now);
  const stillOpen = world.stretches.filter((held) => held.from < range.to && held.to >= range.to).length;
  const kept = activeIn(world, previous).size - lostBetween(world, previous, range);
  return {
    period: { startDate: dayText(range.from), endDate: dayText(range.to - 1), interval },
    summary: {
      totalUsers: count(world.users, ever(range.to)),
      newUsers: count(world.users, range),
      activeUsers: activeIn(world, range).size,
      retentionRate: share(kept, activeIn(world, previous).size),
      averageInvestmentPerUser: average(sum(world.principal.filter(inside(ever(range.to)))), stillOpen),
    },
    dataPoints: points.map((point, place) => {
      const last = points[place - 1] ?? earlier;
      return {
        date: interval === 'hourly' ? new Date(point.from).toISOString() : dayText(point.from),
        totalUsers: count(world.users, ever(point.to)),
        newUsers: count(world.users, point),
        activeUsers: activeIn(world, point).size,
        churnRate: share(lostBetween(world, last, point), activeIn(world, last).size),
      };
    }),
  };
}

export function expectedInvestments(world: World, range: Range, now: number) {
  const made = world.investments.filter(inside(ever(range.to)));
  const opened = world.principal.filter((move) => inside(ever(range.to))(move) && move.amount.isPositive());
  const end = range.from + soFar(range, now);
  const total = totalValue(world, range.to);
  const byStrategy = STRATEGY_IDS.map((strategyId) => ({
    strategyId,
    count: made.filter((one) => one.strategyId === strategyId).length,
    tvl: tvlOf(world, strategyId, range.to).toWire(),
    averageAPY: Number(rateOf(world, strategyId, range).toFixed(2)),
  }));
  const highest = byStrategy.reduce((a, b) => (Money.of(a.tvl).isLessThan(Money.of(b.tvl)) ? b : a));
  return {
    summary: {
      totalInvestments: made.length,
      newInvestments: made.filter(inside(range)).length,
      totalValue: total.toWire(),
      averageInvestment: average(sum(opened), made.length),
      topStrategy: Money.of(highest.tvl).isPositive() ? highest.strategyId : null,
    },
    byStrategy,
    trends: {
      weekOverWeek: growth(totalValue(world, end - 7 * DAY), total),
      monthOverMonth: growth(totalValue(world, end - 30 * DAY), total),
    },
  };
}
