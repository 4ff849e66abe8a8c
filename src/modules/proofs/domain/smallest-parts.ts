import { ETH_SCALE, MICRO_SCALE } from '../../../common/money.js';

/** The decimals that a user's account holds of an asset; `ledger_scale` of the database is equal. */
export function scaleOf(asset: string): number {
  return asset === 'ETH' ? ETH_SCALE : MICRO_SCALE;
}

/** The text for JSON: at least two decimals, no zero at the end beyond the second. */
export function fromSmallestParts(parts: bigint, scale: number): string {
  const digits = String(parts).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '').padEnd(2, '0');
  return `${digits.slice(0, -scale)}.${fraction}`;
}
