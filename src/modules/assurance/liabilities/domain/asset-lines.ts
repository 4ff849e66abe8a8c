import { MICRO_SCALE, Money } from '../../../../common/money.js';
import { scaleOf } from '../../proofs/domain/sum-tree.js';

// Where the assets of a closed day are, and how much of the liabilities they cover.

/** The assets that users can own. USDC has a tree every day, the others on days on which users own them. */
export const LIABILITY_ASSETS = ['USDC', 'USDT', 'ETH'] as const;
export type LiabilityAsset = (typeof LIABILITY_ASSETS)[number];

export const ASSET_SOURCES = ['chain', 'statement', 'books'] as const;

/** A line: an amount of one asset at one place, as the day's record stores and publishes it. */
export interface AssetLine {
  /** custody, custody-elsewhere (custody, but not at its named addresses) or deposit-provider/<network>. */
  readonly place: string;
  readonly asset: LiabilityAsset;
  /** Decimal text. */
  readonly amount: string;
  /** `chain`: the balance of a named address; `books`: the ledger's; `statement`, unused: a provider's (DEC-73). */
  readonly source: (typeof ASSET_SOURCES)[number];
  /** Only with the source `chain`: the number of the block at which the balance was read. */
  readonly block?: number;
  /** Only with the source `chain`: the address that holds the amount. */
  readonly address?: string;
}

/** The ledger's balance of the deposit provider or of custody at the end of a day. */
export interface PlaceBalance {
  readonly kind: 'asset.deposit-provider' | 'asset.custody';
  /** The network at the deposit provider; empty for custody. */
  readonly scope: string;
  readonly asset: LiabilityAsset;
  /** Positive for assets: debits less credits. */
  readonly amount: Money;
}

export interface AssetTotal {
  readonly asset: LiabilityAsset;
  readonly assets: Money;
  readonly liabilities: Money;
  /** Assets divided by liabilities, rounded down to six decimals; null unless the liabilities are positive. */
  readonly coverage: Money | null;
}

/** Adds lines with the ledger's balances, less the amounts of the lines on chain. `balances` has custody before the provider. */
export function addBookLines(onChain: readonly AssetLine[], balances: readonly PlaceBalance[]): AssetLine[] {
  if (onChain.length === 0) return balances.flatMap((balance) => bookLineOf(balance, 'custody'));
  const usdcOnChain = Money.sum(onChain.map(({ amount }) => Money.of(amount)));
  const booked = withoutUsdcOnChain(balances, usdcOnChain);
  return [...onChain, ...booked.flatMap((balance) => bookLineOf(balance, 'custody-elsewhere'))];
}

/**
 * Subtracts the USDC at custody's addresses from custody's balance. If the chain shows more than the ledger, the rest can be a
 * transfer from the deposit provider that is not posted yet, so it is subtracted from the provider's balance and counts once.
 */
function withoutUsdcOnChain(balances: readonly PlaceBalance[], usdcOnChain: Money): PlaceBalance[] {
  let rest = usdcOnChain;
  return balances.map((balance) => {
    const { kind, scope, asset, amount } = balance;
    const isCustody = kind === 'asset.custody';
    const isSource = kind === 'asset.deposit-provider' && scope === 'ERC20' && rest.isPositive();
    if (asset !== 'USDC' || !(isCustody || isSource)) return balance;
    const difference = amount.minus(rest);
    rest = Money.max(difference.negated(), Money.ZERO);
    return { ...balance, amount: Money.max(difference, Money.ZERO) };
  });
}

function bookLineOf(
  { kind, scope, asset, amount }: PlaceBalance,
  custodyPlace: 'custody' | 'custody-elsewhere',
): AssetLine[] {
  const rounded = amount.roundDown(scaleOf(asset));
  if (rounded.isZero()) return [];
  const place = kind === 'asset.custody' ? custodyPlace : `deposit-provider/${scope}`;
  return [{ place, asset, amount: rounded.toExact(), source: 'books' }];
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
