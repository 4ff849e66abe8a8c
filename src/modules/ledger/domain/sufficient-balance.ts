import { fail } from '../../../common/errors/domain-error.js';
import type { Money } from '../../../common/money.js';

/** Throws INSUFFICIENT_BALANCE if the locked available balance is below `amount`. */
export function requireSufficient(available: Money, amount: Money): void {
  if (!available.isLessThan(amount)) return;
  fail('INSUFFICIENT_BALANCE', {
    available: available.toWire(),
    requested: amount.toWire(),
    shortfall: amount.minus(available).toWire(),
  });
}
