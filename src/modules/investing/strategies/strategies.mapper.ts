import type { AppConfig } from '../../../config/app-config.js';
import { daysBetween } from '../../../common/days.js';
import type { Money } from '../../../common/money.js';
import { annualisedPercent, asNumber, percentOf } from '../../../common/ratio.js';
import { ACHIEVED_DAYS, achievedApy } from './domain/apy.js';
import {
  AdminStrategyResponse,
  type StrategiesResponse,
  type StrategyChangeResponse,
  StrategyDetailResponse,
  type StrategyHistoryResponse,
  StrategyResponse,
  type StrategyReturnResponse,
  YieldReportResponse,
} from './dto/strategy.response.js';
import type { Strategy } from './entities/strategy.entity.js';
import type { YieldReport } from './entities/yield-report.entity.js';
import type { StrategyHistory } from './navs.service.js';
import type { ListedStrategy, NavPoint } from './strategies.types.js';
import type { RequestedChange } from './strategies.service.js';
import { toResponse } from '../../../http/response/to-response.js';

const NAV_DECIMALS = 12;
const PERCENT_DECIMALS = 4;

function toStrategyResponse(strategy: ListedStrategy): StrategyResponse {
  return toResponse(StrategyResponse, strategy, offerOf(strategy));
}

function offerOf({ apy, minimum, maximum, suspended }: ListedStrategy) {
  return {
    expectedYield: apy,
    minInvestment: minimum,
    maxInvestment: maximum,
    status: 'active',
    isActive: !suspended,
  };
}

export function toStrategyDetailResponse(strategy: ListedStrategy): StrategyDetailResponse {
  return toResponse(StrategyDetailResponse, strategy, {
    ...offerOf(strategy),
    active: !strategy.suspended,
  });
}

export function toStrategiesResponse(
  strategies: readonly ListedStrategy[],
  { isProduction }: Pick<AppConfig, 'isProduction'>,
  now: Date,
): StrategiesResponse {
  const listed = strategies.map(toStrategyResponse);
  if (isProduction) return { strategies: listed };
  return {
    strategies: listed,
    debug: {
      strategiesCount: listed.length,
      configType: 'static',
      endpointCalled: '/api/user/strategies',
      serverTimestamp: now.toISOString(),
    },
  };
}

export function toAdminStrategyResponse(strategy: ListedStrategy): AdminStrategyResponse {
  return toResponse(AdminStrategyResponse, strategy, {
    minAmount: strategy.minimum,
    maxAmount: strategy.maximum,
    status: 'active',
    isActive: !strategy.suspended,
  });
}

export function toStrategyChangeResponse({ requested, strategy }: RequestedChange): StrategyChangeResponse {
  return { applied: false, requested, strategy: toAdminStrategyResponse(strategy) };
}

export function toStrategyHistoryResponse({
  strategy,
  range,
  points,
}: StrategyHistory): StrategyHistoryResponse {
  const [first] = points;
  const today = points.at(-1);
  if (!first || !today) throw new Error(`strategy ${strategy.id} has no value`);
  const returnOver = (days: number): StrategyReturnResponse | null => {
    const start = points.find((point) => daysBetween(point.day, today.day) === days);
    return start ? toReturnResponse(start, today) : null;
  };
  return {
    strategyId: strategy.id,
    strategyName: strategy.name,
    startDate: range.from,
    endDate: range.to,
    series: points
      .filter(({ day }) => day >= range.from && day <= range.to)
      .map(({ day, nav }) => ({
        date: day,
        nav: asNumber(nav, NAV_DECIMALS),
        ...toYields(strategy, achievedBy({ day, nav }, points)),
      })),
    returns: {
      days7: returnOver(7),
      days30: returnOver(30),
      days90: returnOver(90),
      sinceStart: toReturnResponse(first, today),
    },
  };
}

/** The yield achieved up to a point; null on the first day of the strategy. */
function achievedBy({ day, nav }: Omit<NavPoint, 'apy'>, points: readonly NavPoint[]): Money | null {
  const start = points.find((point) => daysBetween(point.day, day) <= ACHIEVED_DAYS); // the oldest such point
  return start ? achievedApy(nav.dividedBy(start.nav), daysBetween(start.day, day)) : null;
}

function toYields({ apy }: Strategy, achieved: Money | null): { apy: number | null; targetApy: number } {
  return {
    apy: achieved && asNumber(achieved, PERCENT_DECIMALS),
    targetApy: asNumber(apy, PERCENT_DECIMALS),
  };
}

function toReturnResponse(start: NavPoint, today: NavPoint): StrategyReturnResponse {
  const days = daysBetween(start.day, today.day);
  return {
    from: start.day,
    days,
    return: percentOf(today.nav.minus(start.nav), start.nav, PERCENT_DECIMALS),
    annualised: days === 0 ? null : annualisedPercent(today.nav.dividedBy(start.nav), days, PERCENT_DECIMALS),
  };
}

export function toYieldReportResponse(report: YieldReport): YieldReportResponse {
  return toResponse(YieldReportResponse, report, { status: report.state, reason: report.decisionReason });
}
