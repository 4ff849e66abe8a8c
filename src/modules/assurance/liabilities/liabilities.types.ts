import type { Money } from '../../../common/money.js';

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

/** A sum tree whose chunks and nodes are written. It is published with its day. */
export interface BuiltTree {
  readonly id: string;
  readonly asset: LiabilityAsset;
  /** The hash of the root. */
  readonly root: Buffer;
  /** In the smallest part of the asset. */
  readonly total: bigint;
  /** The number of users. */
  readonly leaves: number;
  readonly shuffleKey: Buffer;
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

/** The trees and the balances of a day, read from one snapshot. */
export interface BuiltDay {
  readonly trees: readonly BuiltTree[];
  readonly places: readonly PlaceBalance[];
}

/** The components of a user's leaf at the end of a day, in whole smallest parts of the asset; may be negative. */
export interface PastAmounts {
  readonly userId: string;
  readonly available: string;
  readonly reserved: string;
  readonly invested: string;
  readonly held: string;
}
