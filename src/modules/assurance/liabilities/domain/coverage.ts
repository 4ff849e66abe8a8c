import { MICRO_SCALE, Money } from '../../../../common/money.js';
import { type AssetLine, LIABILITY_ASSETS, type LiabilityAsset } from '../liabilities.types.js';

export interface AssetTotal {
  readonly asset: LiabilityAsset;
  readonly assets: Money;
  readonly liabilities: Money;
  /** Assets divided by liabilities, rounded down to six decimals; null unless the liabilities are positive. */
  readonly coverage: Money | null;
}

const ONE_MICRO = Money.of('0.000001');

/** The totals of each asset that has an asset line or a sum tree: lines add up to the assets, trees to the liabilities. */
export function assetTotals(
  lines: readonly AssetLine[],
  trees: readonly { readonly asset: LiabilityAsset; readonly total: Money }[],
): AssetTotal[] {
  return LIABILITY_ASSETS.flatMap((asset) => {
    const assetLines = lines.filter((line) => line.asset === asset);
    const sumTrees = trees.filter((tree) => tree.asset === asset);
    if (assetLines.length === 0 && sumTrees.length === 0) return [];
    const assets = Money.sum(assetLines.map(({ amount }) => Money.of(amount)));
    const liabilities = Money.sum(sumTrees.map(({ total }) => total));
    return [{ asset, assets, liabilities, coverage: coverageOf(assets, liabilities) }];
  });
}

/** Rounds down, also below zero, so that the coverage is never overstated. */
function coverageOf(assets: Money, liabilities: Money): Money | null {
  if (!liabilities.isPositive()) return null;
  const ratio = assets.dividedBy(liabilities);
  const towardsZero = ratio.roundDown(MICRO_SCALE);
  return ratio.isLessThan(towardsZero) ? towardsZero.minus(ONE_MICRO) : towardsZero;
}
