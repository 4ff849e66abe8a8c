import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Equals, IsObject, IsString, ValidateIf, ValidateNested } from 'class-validator';
import { addDays, type Day } from '../../../../common/days.js';
import { throwError } from '../../../../common/errors/domain-error.js';
import { MICRO_SCALE, Money } from '../../../../common/money.js';
import { HUNDRED } from '../../../../common/ratio.js';
import { StateMachine } from '../../../../common/state-machine.js';
import type { AppConfig } from '../../../../config/app-config.js';
import type { PlatformEvent } from '../../../../events/domain-events.js';
import { yieldRealised } from '../../../core/ledger/domain/postings.js';
import type { Strategy } from '../entities/strategy.entity.js';
import type { DayRates, InvestedValue, NavDayLock } from '../strategies.types.js';
import { dailyFactor } from './apy.js';

/** A decimal in percent a year. */
export const APY = /^-?(0|[1-9]\d{0,3})(\.\d{1,8})?$/;

/** The yield of a strategy on a day. `YieldReportsService` checks what the values mean. */
export class YieldReportData {
  @ApiProperty({ description: 'of STRATEGIES_FILE, or of the default strategies', example: 'balanced-10' })
  @IsString()
  strategyId!: string;

  @ApiProperty({ format: 'date', description: 'UTC; at most 31 days ahead', example: '2026-03-01' })
  @IsString()
  day!: string;

  @ApiProperty({
    pattern: APY.source,
    description: 'achieved, percent a year; text, above -100',
    example: '10.2',
  })
  @IsString()
  apy!: string;

  @ApiProperty({
    required: false,
    pattern: '^\\d+(\\.\\d{1,6})?$',
    description:
      'USDC that custody has received for the day; replaces the amount of an earlier report of the day',
    example: '27.95',
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  realisedAmount?: string;
}

/** The callback of the custody provider. docs/providers/custody.json is generated from it. */
export class YieldReportMessage {
  @ApiProperty({
    type: 'string',
    enum: ['yield.reported'],
    description: 'a callback of another type changes nothing',
  })
  @Equals('yield.reported')
  type!: string;

  @IsObject()
  @ValidateNested()
  @Type(() => YieldReportData)
  data!: YieldReportData;
}

/**
 * `rate`: sets the rate of the day. `fold`: the value after the day was published already, so the next value makes up for it.
 * `waiting`: beyond a tolerance, without effect until an admin decides. `ignored`: the strategy was suspended on the
 * day, so the rate has no effect; the report's `realisedAmount`, if it has one, is posted. `rejected`: by an admin.
 */
export const YIELD_REPORT_STATES = ['rate', 'fold', 'waiting', 'ignored', 'rejected'] as const;
export type YieldReportState = (typeof YIELD_REPORT_STATES)[number];
export type YieldReportVerb = 'accept' | 'reject';

/** Decisions of admins. `accepted` is not stored: the report is applied and gets the state of its effect (`effectOf`). */
export const YIELD_REPORT_DECISIONS = new StateMachine<YieldReportState | 'accepted', YieldReportVerb>([
  { verb: 'accept', from: ['waiting'], to: 'accepted' },
  { verb: 'reject', from: ['waiting'], to: 'rejected' },
]);

/** A valid report of the custody provider. */
export interface ParsedReport {
  readonly eventId: string;
  readonly strategy: Strategy;
  readonly day: Day;
  /** Achieved, percent a year. */
  readonly apy: Money;
  /** USDC received by the custody provider for the day; null if the report does not state it. */
  readonly realisedAmount: Money | null;
}

/** The rate of a day before a report is applied. */
export interface UsedRate {
  readonly apy: Money;
  /** Whether the strategy was suspended on the day. */
  readonly suspended: boolean;
}

/** The latest day of a report, in days after today; a report of a later day is a mistake of the provider. */
const MAX_DAYS_AHEAD = 31;

/**
 * The rate of the day's report that was applied last, else the rate that led to the published value of the following day, else
 * the target. Throws VALIDATION_ERROR for a day before the strategy's first one or more than 31 days ahead.
 */
export function usedRateOf(
  { strategy, day }: Pick<ParsedReport, 'strategy' | 'day'>,
  rates: DayRates,
  today: NavDayLock,
): UsedRate {
  const latest = addDays(today.day, MAX_DAYS_AHEAD);
  if (day > latest) failDay(`at most ${latest}`);
  if (day < rates.first) failDay(`from ${rates.first} to ${latest}`);
  return { apy: rates.reported ?? rates.published ?? strategy.apy, suspended: rates.suspended };
}

function failDay(bounds: string): never {
  return throwError('VALIDATION_ERROR', [{ field: 'day', message: `must be ${bounds}` }]);
}

/**
 * The effect of an applied report on the value of a unit. A report of a suspended day has none. If the value after the
 * day is published already, the next value makes up for the report.
 */
export function effectOf(
  { day }: Pick<ParsedReport, 'day'>,
  { suspended }: UsedRate,
  today: NavDayLock,
): 'rate' | 'fold' | 'ignored' {
  if (suspended) return 'ignored';
  return day > today.day ? 'rate' : 'fold';
}

/** The tolerances that a report can be beyond: an admin then decides about the rate or the realised amount. */
export const WAITING_REASONS = ['rate', 'realisedAmount'] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

const ONE = Money.of('1');
/** In USDC: a smaller difference from the expected amount needs no decision, whatever its share of the amount. */
const LEAST_DIFFERENCE = Money.of('1');

/**
 * The realised amount that the invested value explains at the reported rate; of a range, the amount closest to `stated`.
 * Zero for a loss, because no report states an amount below zero.
 */
export function expectedAmount(stated: Money, { least, most }: InvestedValue, apy: Money): Money {
  const rate = Money.max(dailyFactor(apy).minus(ONE), Money.ZERO);
  const growthOf = (value: Money) => value.times(rate).roundHalfEven(MICRO_SCALE);
  return Money.min(Money.max(stated, growthOf(least)), growthOf(most));
}

/** Empty if the report is within both tolerances. `expected` is null for a report without an amount. */
export function waitingReasons(
  { apy, strategy, realisedAmount }: Pick<ParsedReport, 'apy' | 'strategy' | 'realisedAmount'>,
  expected: Money | null,
  tolerance: Pick<AppConfig, 'YIELD_TOLERANCE_PERCENT' | 'REALISED_TOLERANCE_PERCENT'>,
): WaitingReason[] {
  const reasons: WaitingReason[] = [];
  if (distance(apy, strategy.apy).isMoreThan(tolerance.YIELD_TOLERANCE_PERCENT)) reasons.push('rate');
  if (realisedAmount && expected) {
    const share = expected.times(tolerance.REALISED_TOLERANCE_PERCENT).dividedBy(HUNDRED);
    const allowed = Money.max(share, LEAST_DIFFERENCE);
    if (distance(realisedAmount, expected).isMoreThan(allowed)) reasons.push('realisedAmount');
  }
  return reasons;
}

function distance(a: Money, b: Money): Money {
  return Money.max(a.minus(b), b.minus(a));
}

/** The realised yield of a day after a report is applied, in USDC, and its difference from the amount posted before. */
interface RealisedYield {
  /** Null if no report of the day has stated an amount. */
  readonly total: Money | null;
  readonly difference: Money;
}

/**
 * The stated amount of a report replaces `before`, that of the day's earlier reports; a report without an amount keeps it. Both
 * are null if there is none.
 */
export function realisedYield(stated: Money | null, before: Money | null): RealisedYield {
  const total = stated ?? before;
  return { total, difference: (total ?? Money.ZERO).minus(before ?? Money.ZERO) };
}

export function realisedPosting(
  { eventId, strategy }: Pick<ParsedReport, 'eventId' | 'strategy'>,
  { difference }: RealisedYield,
  at: Date,
): ReturnType<typeof yieldRealised> {
  return yieldRealised({ reportId: eventId, strategyId: strategy.id, amount: difference, at });
}

/** Topic `yield`: emitted in the transaction that records a report of the custody provider, or an admin's decision about it. */
export interface YieldEvent extends PlatformEvent {
  readonly name: 'yield.reported' | 'yield.decided';
  readonly reportId: string;
  readonly strategyId: string;
  readonly day: Day;
  /** Achieved, percent a year. */
  readonly apy: Money;
  /** Null for a report without an amount. */
  readonly realisedAmount: Money | null;
  /** After the report or the decision. */
  readonly state: YieldReportState;
}
