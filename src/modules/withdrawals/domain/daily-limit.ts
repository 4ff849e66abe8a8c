import { DAY_MS } from '../../../common/durations.js';
import { Money } from '../../../common/money.js';

// The daily limit of a user's withdrawals, over a rolling window of 24 hours.

const WINDOW_MS = DAY_MS;

/** Withdrawals that were requested after this time count for the limit. */
export function windowStart(at: Date): Date {
  return new Date(at.getTime() - WINDOW_MS);
}

/** The unused part of the limit; zero if the limit was lowered below the used part. */
export function leftOfDailyLimit(dailyLimit: Money, used: Money): Money {
  return Money.max(dailyLimit.minus(used), Money.ZERO);
}
