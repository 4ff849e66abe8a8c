import { DAY_MS } from '../../../../common/durations.js';
import { throwError } from '../../../../common/errors/domain-error.js';
import { newId } from '../../../../common/ids.js';
import type { Phrase } from '../../../../common/message-texts.js';
import { Money } from '../../../../common/money.js';
import type { TierLimits } from '../../../../config/limits-file.js';
import { RISK_LEVELS, type RiskLevel } from '../../../../config/strategies-file.js';
import type { Strategy } from '../../strategies/entities/strategy.entity.js';
import type { NavDay, NavDayLock, NavDays, StrategyState } from '../../strategies/strategies.types.js';
import type { Investment } from '../entities/investment.entity.js';
import type { ShownStatus } from './investment.state-machine.js';
import { unitsFor } from './valuation.js';

/** The values that a move hands on to the next investment. An investment that no move opened is the first of its chain. */
export interface Origin {
  /** Principal of the first investment of the chain, less the shares of partial closings. */
  readonly firstPrincipal: Money;
  /** When the first investment of the chain was created; the lock-up counts from here. */
  readonly firstMadeAt: Date;
  readonly carriedFees: Money;
  /** The performance fees in `carriedFees`; the rest are management fees. */
  readonly carriedPerformanceFees: Money;
}

export function originOf(investment: Investment): Origin {
  const { carriedFees, carriedPerformanceFees } = investment;
  return {
    firstPrincipal: investment.firstPrincipal ?? investment.amount,
    firstMadeAt: investment.firstMadeAt ?? investment.createdAt,
    carriedFees,
    carriedPerformanceFees,
  };
}

/** The largest single investment of a user of the tier in the strategy. */
export function maximumInvestment({ maximum }: Pick<Strategy, 'maximum'>, { investment }: TierLimits): Money {
  return investment.maximum === null ? maximum : Money.min(maximum, investment.maximum);
}

/** Growth so far from the first principal of the chain of moves: of the investment at `value`, and of its closed parts. */
export function earningsOf(investment: Investment, value: Money): Money {
  const { closedGrowth, closedEarlierGrowth } = investment;
  return value.minus(originOf(investment).firstPrincipal).plus(closedGrowth).plus(closedEarlierGrowth);
}

/** The first principal before any partial closing of this investment, of which returns are a percentage. */
export function initialPrincipalOf(investment: Investment): Money {
  const { closedPrincipal, closedEarlierGrowth } = investment;
  return originOf(investment).firstPrincipal.plus(closedPrincipal).minus(closedEarlierGrowth);
}

/**
 * The end of the lock-up, which counts from the first investment of a chain of moves; null once users can close.
 * With 0 days there is no lock-up, even if the clock of this process is behind.
 */
export function lockEndOf(investment: Investment, at: Date, lockDays: number): Date | null {
  const end = new Date(originOf(investment).firstMadeAt.getTime() + lockDays * DAY_MS);
  return lockDays > 0 && at < end ? end : null;
}

/**
 * A new investment that is active at once and earns from the next day on. If a move opens it, `moved` has the id of the moved
 * investment and the origin that the move hands on.
 */
export function openInvestment(
  userId: string,
  strategyId: string,
  amount: Money,
  day: NavDayLock,
  moved?: { readonly from: string; readonly origin: Origin },
): Investment {
  return {
    id: newId(),
    userId,
    strategyId,
    status: 'active',
    amount,
    units: unitsFor(amount, day),
    issuedOn: day.day,
    idempotencyKey: null,
    createdAt: day.at,
    updatedAt: day.at,
    approvedBy: null,
    approvedAt: null,
    endedAt: null,
    finalValue: null,
    fees: Money.ZERO,
    closedParts: 0,
    closedPrincipal: Money.ZERO,
    closedGrowth: Money.ZERO,
    closedFees: Money.ZERO,
    closedEarlierGrowth: Money.ZERO,
    endedBy: null,
    note: null,
    movedFrom: moved?.from ?? null,
    movedTo: null,
    firstPrincipal: moved?.origin.firstPrincipal ?? null,
    firstMadeAt: moved?.origin.firstMadeAt ?? null,
    carriedFees: moved?.origin.carriedFees ?? Money.ZERO,
    carriedPerformanceFees: moved?.origin.carriedPerformanceFees ?? Money.ZERO,
    forfeited: Money.ZERO,
    managementFeePercent: null,
    performanceFeePercent: null,
  };
}

/** The fields that all postings of an investment have. */
export function postingFields(investment: Investment, { at }: NavDayLock) {
  const { id: investmentId, userId, strategyId, amount: principal, units } = investment;
  return { investmentId, userId, strategyId, principal, units, at };
}

/** An investment with everything that its responses are computed from. */
export interface InvestmentDetails extends Readonly<Investment>, StrategyState {
  readonly day: NavDay;
}

/** `state` is that of the investment's strategy. */
export function toInvestmentDetails(
  state: StrategyState,
  investment: Investment,
  day: NavDay,
): InvestmentDetails {
  return { ...investment, ...state, day };
}

/** As `toInvestmentDetails`, with the day of the investment's strategy from `days`. */
export function toInvestmentDetailsOn(
  state: StrategyState,
  investment: Investment,
  days: NavDays,
): InvestmentDetails {
  const day = days.get(investment.strategyId);
  if (!day) throw new Error(`strategy ${investment.strategyId} has no published NAV`);
  return toInvestmentDetails(state, investment, day);
}

/** The amount that became available at the end: the final value less the fees, and zero for a moved investment. Null while it is open. */
export function payoutOf({ status, movedTo, amount, finalValue, fees }: Investment): Money | null {
  if (status !== 'closed' && status !== 'cancelled') return null;
  return movedTo === null ? (finalValue ?? amount).minus(fees) : Money.ZERO;
}

export function shownStatus({ status, suspended }: InvestmentDetails): ShownStatus {
  return status === 'active' && suspended ? 'paused' : status;
}

/** The sum of a user's open investments in one strategy. */
export interface OpenPosition {
  readonly strategyId: string;
  /** Principal in USDC. */
  readonly amount: Money;
  /** The part of the first principals of chains of moves; growth counts from it. */
  readonly firstPrincipal: Money;
  /** Value in USDC. */
  readonly currentValue: Money;
  /** The part of the value that waits for approval and yields nothing. */
  readonly pending: Money;
  /** Target rate in percent a year. */
  readonly apy: Money;
}

/** An open position as `OPEN_POSITIONS_SQL` returns it: money is text. */
export type PositionRow = Record<'strategy_id' | 'amount' | 'first_principal' | 'value' | 'pending', string>;

/** The positions in the order of `strategies`. */
export function toOpenPositions(
  rows: readonly PositionRow[],
  strategies: readonly Strategy[],
): OpenPosition[] {
  return strategies.flatMap(({ id, apy }) =>
    rows
      .filter((row) => row.strategy_id === id)
      .map(({ amount, first_principal: firstPrincipal, value, pending }) => ({
        strategyId: id,
        amount: Money.of(amount),
        firstPrincipal: Money.of(firstPrincipal),
        currentValue: Money.of(value),
        pending: Money.of(pending),
        apy,
      })),
  );
}

export const USER_RISK_LEVELS = [...RISK_LEVELS, 'unknown'] as const;

export interface RiskAssessment {
  /** The level of the user's risk profile; unknown without active and paused investments. */
  readonly userRiskLevel: (typeof USER_RISK_LEVELS)[number];
  readonly strategyRiskLevel: RiskLevel;
  /** Whether the strategy's risk level is not above the user's; null if the user's is unknown. */
  readonly match: boolean | null;
}

/** Compares the risk of a strategy with the level of a user's risk profile. */
export function assessRisk(strategyRiskLevel: RiskLevel, userRiskLevel: RiskLevel | null): RiskAssessment {
  if (userRiskLevel === null) return { userRiskLevel: 'unknown', strategyRiskLevel, match: null };
  const match = RISK_LEVELS.indexOf(strategyRiskLevel) <= RISK_LEVELS.indexOf(userRiskLevel);
  return { userRiskLevel, strategyRiskLevel, match };
}

/** Throws INVALID_STRATEGY. */
export function failUnknownStrategy(): never {
  throwError('INVALID_STRATEGY', [{ field: 'strategyId', message: 'is not the id of a strategy' }]);
}

/** Texts of movements of money, which transaction records and statements share. Records hold them in English. */
export const INVESTMENT_PHRASES = {
  investment: { en: 'Investment in {strategy}', de: 'Anlage in {strategy}' },
  growth: { en: 'Growth of {strategy}', de: 'Ertrag aus {strategy}' },
  loss: { en: 'Loss of {strategy}', de: 'Verlust aus {strategy}' },
} satisfies Record<string, Phrase>;
