import { Money } from '../../common/money.js';

// What the faucet pays, to whom how often, and when it wants to be filled up.

export const DEFAULT_AMOUNT = Money.of('1000.00');
export const MIN_AMOUNT = Money.of('100.00');
export const MAX_AMOUNT = Money.of('10000.00');

export const PERIOD = '24h';
export const PERIOD_MS = 86_400_000;
export const MAX_REQUESTS_PER_ADDRESS = 1;

export interface Thresholds {
  readonly low: Money;
  readonly critical: Money;
}

/** A hundred usual requests, and ten. */
export const USDC_THRESHOLDS: Thresholds = { low: Money.of('100000.00'), critical: Money.of('10000.00') };
export const ETH_THRESHOLDS: Thresholds = { low: Money.of('0.10'), critical: Money.of('0.01') };

export const LEVELS = ['healthy', 'low', 'critical'] as const;
export type Level = (typeof LEVELS)[number];

export function levelOf(held: Money, { low, critical }: Thresholds): Level {
  if (held.isLessThan(critical)) return 'critical';
  return held.isLessThan(low) ? 'low' : 'healthy';
}
