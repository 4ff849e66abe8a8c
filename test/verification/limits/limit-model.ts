import { DAY_MS } from '../../../src/common/durations.js';

// An independent account of a user's withdrawals: whole micro-units and milliseconds, and no code of the service.

/** Amounts are micro-units; null: no such limit. */
export interface ModelTier {
  readonly perTransaction: bigint | null;
  readonly perDay: bigint;
  readonly perMonth: bigint | null;
}

export interface ModelWithdrawal {
  readonly at: number;
  readonly amount: bigint;
  /** False once its amount was given back. */
  counts: boolean;
}

export class LimitModel {
  readonly withdrawals: ModelWithdrawal[] = [];

  constructor(private readonly tier: ModelTier) {}

  /** What a withdrawal at `at` may take at most. */
  leftAt(at: number): bigint {
    const { perTransaction, perDay, perMonth } = this.tier;
    const limits = [perDay - this.usedUpTo(at, DAY_MS)];
    if (perMonth !== null) limits.push(perMonth - this.usedUpTo(at, 30 * DAY_MS));
    if (perTransaction !== null) limits.push(perTransaction);
    const least = limits.reduce((a, b) => (a < b ? a : b));
    return least > 0n ? least : 0n;
  }

  accept(at: number, amount: bigint): ModelWithdrawal {
    const withdrawal = { at, amount, counts: true };
    this.withdrawals.push(withdrawal);
    return withdrawal;
  }

  /** The number of withdrawals at whose time the sum of 24 hours or of 30 days is above its limit. */
  countExceededWindows(): number {
    const { perDay, perMonth } = this.tier;
    return this.withdrawals.filter(
      ({ at }) =>
        this.usedUpTo(at, DAY_MS) > perDay ||
        (perMonth !== null && this.usedUpTo(at, 30 * DAY_MS) > perMonth),
    ).length;
  }

  /** The sum of the window that ends at `at`. Its first instant is no part of it. */
  private usedUpTo(at: number, length: number): bigint {
    return this.withdrawals
      .filter((other) => other.counts && other.at <= at && other.at > at - length)
      .reduce((sum, { amount }) => sum + amount, 0n);
  }
}

/** The withdrawals of all users in any 24 hours. `perDay` undefined: no limit. */
export class PlatformModel {
  /** The sum of the withdrawals that wait. */
  waiting = 0n;
  /** The sums of the other withdrawals by the time from which they count. */
  private readonly sums = new Map<number, bigint>();

  constructor(private readonly perDay: bigint | undefined) {}

  /** Adds a withdrawal, or takes one back with a negative amount. */
  count(at: number, amount: bigint): void {
    this.sums.set(at, (this.sums.get(at) ?? 0n) + amount);
  }

  isExceededAt(at: number): boolean {
    return this.perDay !== undefined && this.usedAt(at) > this.perDay;
  }

  /** What a new request can take after the withdrawals that wait. */
  leftAt(at: number): bigint {
    return (this.perDay ?? 10n ** 18n) - this.usedAt(at) - this.waiting;
  }

  private usedAt(at: number): bigint {
    return [...this.sums]
      .filter(([time]) => time <= at && time > at - DAY_MS)
      .reduce((sum, [, amount]) => sum + amount, 0n);
  }
}

const MICRO = 1_000_000n;

export function toMicro(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * MICRO + BigInt(fraction.padEnd(6, '0'));
}

export function toText(micro: bigint): string {
  return `${micro / MICRO}.${String(micro % MICRO).padStart(6, '0')}`;
}
