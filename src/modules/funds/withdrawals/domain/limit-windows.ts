import type { TierLimits } from '../../../../config/limits-file.js';
import { DAY_MS } from '../../../../common/durations.js';
import { Money } from '../../../../common/money.js';

export const LIMIT_WINDOWS = ['transaction', 'day', 'month'] as const;

/** The sums of a user's withdrawals that count in the rolling windows (DEC-111). */
export interface UsedAmounts {
  /** Of the last 24 hours. */
  readonly day: Money;
  /** Of the last 30 days. */
  readonly month: Money;
}

/** A limit of a user's withdrawals. */
export interface WindowState {
  readonly window: (typeof LIMIT_WINDOWS)[number];
  readonly limit: Money;
  readonly used: Money;
  /** Never below zero, although a lowered limit may be less than the used amount. */
  readonly left: Money;
}

/** When the rolling 24 hours that end at `at` began; not a midnight. */
export function dayWindowStart(at: Date): Date {
  return new Date(at.getTime() - DAY_MS);
}

/** Withdrawals that were requested after these times count in the windows. */
export function windowStarts(at: Date): Record<keyof UsedAmounts, Date> {
  return { day: dayWindowStart(at), month: new Date(at.getTime() - 30 * DAY_MS) };
}

/** The limits of a tier, without those that it does not have. */
export function windowsOf({ withdrawal }: TierLimits, used: UsedAmounts): readonly WindowState[] {
  const { perTransaction, perDay, perMonth } = withdrawal;
  return [
    ...(perTransaction === null ? [] : [windowState('transaction', perTransaction, Money.ZERO)]),
    windowState('day', perDay, used.day),
    ...(perMonth === null ? [] : [windowState('month', perMonth, used.month)]),
  ];
}

/** The window of which the least is left: what a withdrawal must not exceed. */
export function tightestWindow(windows: readonly WindowState[]): WindowState {
  return windows.reduce((tightest, window) => (window.left.isLessThan(tightest.left) ? window : tightest));
}

export function leftOf(limit: Money, used: Money): Money {
  return Money.max(limit.minus(used), Money.ZERO);
}

function windowState(window: WindowState['window'], limit: Money, used: Money): WindowState {
  return { window, limit, used, left: leftOf(limit, used) };
}
