import { MICRO_SCALE, Money } from '../../../common/money.js';
import { type AssetLine, LIABILITY_ASSETS, type LiabilityAsset } from '../liabilities.types.js';

export interface AssetTotal {
  readonly asset: LiabilityAsset;
  readonly assets: Money;
  readonly liabilities: Money;
  /** Assets divided by liabilities; null if nothing is owed. */
  readonly coverage: Money | null;
}

const SMALLEST = Money.of('0.000001');

/** Of all assets that have a line or a tree. */
export function assetTotals(
  lines: readonly AssetLine[],
  trees: readonly { readonly asset: LiabilityAsset; readonly total: Money }[],
): AssetTotal[] {
  return LIABILITY_ASSETS.flatMap((asset) => {
    const held = lines.filter((line) => line.asset === asset);
    const owed = trees.filter((tree) => tree.asset === asset);
    if (held.length === 0 && owed.length === 0) return [];
    const assets = Money.sum(held.map(({ amount }) => Money.of(amount)));
    const liabilities = Money.sum(owed.map(({ total }) => total));
    return [{ asset, assets, liabilities, coverage: coverageOf(assets, liabilities) }];
  });
}

/** Rounded down, so that it never shows more than there is. */
function coverageOf(assets: Money, liabilities: Money): Money | null {
  if (!liabilities.isPositive()) return null;
  const ratio = assets.dividedBy(liabilities);
  const rounded = ratio.roundDown(MICRO_SCALE); // towards zero
  return ratio.isLessThan(rounded) ? rounded.minus(SMALLEST) : rounded;
}
