import { MICRO_SCALE, Money } from '../../common/money.js';

/** What the chain tells of a transaction that it has taken, whatever that does. */
export interface Mined {
  readonly blockNumber: number | null;
  /** Blocks on top of and with its own; 0 while it waits. */
  readonly confirmations: number;
  /** Units of gas. */
  readonly gasUsed: string | null;
  /** In gwei. */
  readonly gasPrice: string | null;
}

export const NOT_MINED: Mined = { blockNumber: null, confirmations: 0, gasUsed: null, gasPrice: null };

/** The four of something that has more. */
export function minedOf({ blockNumber, confirmations, gasUsed, gasPrice }: Mined): Mined {
  return { blockNumber, confirmations, gasUsed, gasPrice };
}

const ETH_PER_GWEI = Money.of('0.000000001');

/** In ETH, half-even at six decimals; null where it is not known. */
export function gasFee({ gasUsed, gasPrice }: Pick<Mined, 'gasUsed' | 'gasPrice'>): string | null {
  if (gasUsed === null || gasPrice === null) return null;
  return Money.of(gasUsed).times(Money.of(gasPrice)).times(ETH_PER_GWEI).roundHalfEven(MICRO_SCALE).toWire();
}
