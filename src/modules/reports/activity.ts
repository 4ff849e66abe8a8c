import { Money } from '../../common/money.js';

/** What is summed up by hour and day: counts and amounts alike are exact decimals here. */
export const FIGURES = {
  users: 'users',
  holders: 'holders',
  made: 'made',
  madeAmount: 'made_amount',
  active: 'active',
  pending: 'pending',
  principal: 'principal',
  accrued: 'accrued',
  managementFees: 'management_fees',
  performanceFees: 'performance_fees',
  settled: 'settled',
  settledMs: 'settled_ms',
} as const;

export type Figure = keyof typeof FIGURES;

/** Those that count people or things: they may become JSON numbers, money may not. */
type Count = Extract<Figure, 'users' | 'holders' | 'made' | 'active' | 'pending' | 'settled'>;

/** What one strategy (`''` where there is none) added between two boundaries; `place` counts the boundaries before. */
export type ActivityRow = { place: number; strategyId: string } & Partial<Record<Figure, string>>;

export function countOf(figure: Money): number {
  return Number(figure.toString());
}

const keyOf = (figure: Figure, strategyId = '*'): string => `${figure} ${strategyId}`;

/** Sums of everything that happened, cut at some moments. */
export class Activity {
  /** By figure and strategy: what it came to by each boundary. */
  private readonly courses = new Map<string, Money[]>();
  private readonly counts = new Map<string, number[]>();

  private readonly places: ReadonlyMap<number, number>;

  constructor(
    /** In milliseconds, in the order of time. */
    boundaries: readonly number[],
    private readonly rows: readonly ActivityRow[],
    private readonly isByStrategy: boolean,
  ) {
    this.places = new Map(boundaries.map((boundary, place) => [boundary, place]));
  }

  /** What a figure had come to by one of the boundaries, of all strategies together or of one. */
  by(moment: Date, figure: Figure, strategyId?: string): Money {
    return this.at(moment, this.course(figure, strategyId));
  }

  /** The same of what is counted. */
  countBy(moment: Date, figure: Count, strategyId?: string): number {
    const key = keyOf(figure, strategyId);
    let counts = this.counts.get(key);
    if (!counts) this.counts.set(key, (counts = this.course(figure, strategyId).map(countOf)));
    return this.at(moment, counts);
  }

  between({ from, to }: { from: Date; to: Date }, figure: Figure, strategyId?: string): Money {
    return this.by(to, figure, strategyId).minus(this.by(from, figure, strategyId));
  }

  private at<Sum>(moment: Date, sums: readonly Sum[]): Sum {
    const sum = sums[this.places.get(moment.getTime()) ?? -1];
    if (sum === undefined) throw new Error(`${moment.toISOString()} is not a boundary`);
    return sum;
  }

  private course(figure: Figure, strategyId?: string): Money[] {
    const key = keyOf(figure, strategyId);
    const known = this.courses.get(key);
    if (known) return known;
    if (strategyId !== undefined && !this.isByStrategy) throw new Error('strategies were not told apart');
    const added = Array.from(this.places, () => Money.ZERO);
    for (const row of this.rows) {
      if (strategyId !== undefined && row.strategyId !== strategyId) continue;
      const amount = row[figure];
      if (amount === undefined) throw new Error(`${figure} was not read`);
      if (amount === '0') continue; // most rows have nothing of most figures
      const before = added[row.place];
      if (before) added[row.place] = before.plus(Money.of(amount));
    }
    let sum = Money.ZERO;
    const course = added.map((amount) => (sum = sum.plus(amount)));
    this.courses.set(key, course);
    return course;
  }
}
