import { DayText, ListOf, Count, Nested, Ratio, Text } from '../../../http/openapi/fields.js';
import type { Day } from '../../../common/days.js';
import { daysBetween } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import { annualisedPercent, asNumber, percentOf } from '../../../common/ratio.js';
import type { Strategy } from '../domain/catalogue.js';

const NAV_DECIMALS = 12;
const RETURN_DECIMALS = 4;

/** The value of a unit on a day. */
export interface NavPoint {
  readonly day: Day;
  readonly nav: Money;
  /** Percent a year that led here from the day before. */
  readonly apy: Money;
}

class NavPointResponse {
  @DayText() date!: string;
  @Ratio({ description: 'value of one unit; 1 on the first day', example: 1.000261157876 }) nav!: number;
  @Ratio({ description: 'percent a year that led here from the day before' }) apy!: number;
}

class StrategyReturnResponse {
  @DayText({ description: 'what today is compared with' }) from!: string;
  @Count({ description: 'days since then' }) days!: number;
  @Ratio({ description: 'growth of a unit since then, percent', example: 0.786 }) return!: number;
  @Ratio({ nullable: true, description: 'the same as a yearly rate, percent; null before a day has passed' })
  annualised!: number | null;
}

class StrategyReturnsResponse {
  @Nested(() => StrategyReturnResponse, { nullable: true, description: 'null while the strategy is younger' })
  days7!: StrategyReturnResponse | null;
  @Nested(() => StrategyReturnResponse, { nullable: true, description: 'null while the strategy is younger' })
  days30!: StrategyReturnResponse | null;
  @Nested(() => StrategyReturnResponse, { nullable: true, description: 'null while the strategy is younger' })
  days90!: StrategyReturnResponse | null;
  @Nested(() => StrategyReturnResponse, { description: 'since the first day of the strategy' })
  sinceStart!: StrategyReturnResponse;
}

export class StrategyHistoryResponse {
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @Text() strategyName!: string;
  @DayText({ description: 'first day of the series that was asked for' }) startDate!: string;
  @DayText({ description: 'last day of the series that was asked for' }) endDate!: string;
  @ListOf(() => NavPointResponse, {
    description: 'day by day, the oldest first; none before the strategy began',
  })
  series!: NavPointResponse[];
  @Nested(() => StrategyReturnsResponse, { description: 'up to today, whatever the series' })
  returns!: StrategyReturnsResponse;
}

/** Of points in the order of days: those of the series, the ones that returns are counted from, and today's last. */
export function toStrategyHistoryResponse(
  strategy: Strategy,
  { from, to }: { from: Day; to: Day },
  points: readonly NavPoint[],
): StrategyHistoryResponse {
  const [first, today] = [points[0], points.at(-1)];
  if (!first || !today) throw new Error(`strategy ${strategy.id} has no value`);
  const over = (days: number): StrategyReturnResponse | null => {
    const since = points.find((point) => daysBetween(point.day, today.day) === days);
    return since ? toReturnResponse(since, today) : null;
  };
  return {
    strategyId: strategy.id,
    strategyName: strategy.name,
    startDate: from,
    endDate: to,
    series: points
      .filter(({ day }) => day >= from && day <= to)
      .map(({ day, nav, apy }) => ({
        date: day,
        nav: asNumber(nav, NAV_DECIMALS),
        apy: asNumber(apy, RETURN_DECIMALS),
      })),
    returns: {
      days7: over(7),
      days30: over(30),
      days90: over(90),
      sinceStart: toReturnResponse(first, today),
    },
  };
}

function toReturnResponse(since: NavPoint, today: NavPoint): StrategyReturnResponse {
  const days = daysBetween(since.day, today.day);
  return {
    from: since.day,
    days,
    return: percentOf(today.nav.minus(since.nav), since.nav, RETURN_DECIMALS),
    annualised: days === 0 ? null : annualisedPercent(today.nav.dividedBy(since.nav), days, RETURN_DECIMALS),
  };
}
