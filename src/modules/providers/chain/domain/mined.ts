import { MICRO_SCALE, Money } from '../../../../common/money.js';

/**
 * Block and gas of a transaction. All fields but `confirmations` are null until a block contains the transaction, and for a
 * deposit that only the deposit provider shows.
 */
export interface Mined {
  readonly blockNumber: number | null;
  /** Number of blocks from the transaction's own to the newest, both included; 0 while it is pending. */
  readonly confirmations: number;
  /** Units of gas. */
  readonly gasUsed: string | null;
  /** In gwei. */
  readonly gasPrice: string | null;
}

export const NOT_MINED: Mined = { blockNumber: null, confirmations: 0, gasUsed: null, gasPrice: null };

/** Picks the fields of `Mined` from an object that has more fields. */
export function minedOf({ blockNumber, confirmations, gasUsed, gasPrice }: Mined): Mined {
  return { blockNumber, confirmations, gasUsed, gasPrice };
}

const ETH_PER_GWEI = Money.of('0.000000001');

/** The fee in ETH, with all decimals; null until the transaction is mined. */
export function exactGasFee({ gasUsed, gasPrice }: Pick<Mined, 'gasUsed' | 'gasPrice'>): Money | null {
  if (gasUsed === null || gasPrice === null) return null;
  return Money.of(gasUsed).times(Money.of(gasPrice)).times(ETH_PER_GWEI);
}

/** The fee in ETH, rounded half-even to six decimals; null until the transaction is mined. */
export function gasFee(mined: Pick<Mined, 'gasUsed' | 'gasPrice'>): string | null {
  return exactGasFee(mined)?.roundHalfEven(MICRO_SCALE).toWire() ?? null;
}
