import { MICRO_SCALE, Money } from '../../../common/money.js';
import type { Strategy } from './catalogue.js';

const HUNDRED = Money.of('100');

/** An amount by the strategy's protocol weights, each rounded down; the last protocol takes what is left. */
export function allocate(amount: Money, protocols: Strategy['protocols']): Map<string, Money> {
  const shares = new Map<string, Money>();
  let left = amount;
  protocols.forEach(({ name, weight }, place) => {
    const isLast = place === protocols.length - 1;
    const share = isLast ? left : amount.times(weight).dividedBy(HUNDRED).roundDown(MICRO_SCALE);
    shares.set(name, share);
    left = left.minus(share);
  });
  return shares;
}
