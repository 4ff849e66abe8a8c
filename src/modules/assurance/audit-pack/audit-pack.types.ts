import type { Day } from '../../../common/days.js';
import type { AccountKind } from '../../core/ledger/domain/chart-of-accounts.js';
import type { AssetLine, LiabilityAsset } from '../liabilities/domain/asset-lines.js';

/** The transparency log as the snapshot of a pack shows it. */
export interface PackLog {
  readonly origin: string;
  /** Size and root of the newest checkpoint. */
  readonly size: number;
  readonly root: Buffer;
  /** Every key that has signed something that was published, newest first. */
  readonly publicKeys: readonly Buffer[];
}

/** The text of a sealed transaction in a journal, and the day of its `effectiveAt`. */
export interface JournalTransactionText {
  readonly day: Day;
  readonly text: string;
}

/** The identity of an account of the ledger. */
export interface PackAccount {
  readonly kind: AccountKind;
  readonly scope: string;
  /** The id of the user; null for accounts of the platform. */
  readonly owner: string | null;
  readonly asset: string;
}

/** The balances before the first and after the last day, as decimal texts; credit is positive, as in the ledger. */
export interface AccountBalances extends PackAccount {
  readonly opening: string;
  readonly closing: string;
}

/** The balance of an account at the end of a month in which it changed, as a decimal text. */
export interface MonthlyBalance extends PackAccount {
  /** The first day of the month. */
  readonly month: Day;
  readonly balance: string;
}

/** The value of a unit of a strategy on a day. Numbers are decimal texts. */
export interface PackNav {
  readonly strategyId: string;
  readonly day: Day;
  readonly nav: string;
  readonly apy: string;
  /** Factor that makes up for late reports of earlier days. */
  readonly correction: string;
  /** Where the rate comes from: `first`, `target`, `reported` or `suspended`. */
  readonly source: string;
}

/** A leaf of a day's liabilities, whose text the log stores. */
export interface TextLeaf {
  readonly leafIndex: number;
  readonly text: string;
}

/**
 * Leaves that do not belong to the days of the range: consecutive transactions with the indexes `first` to `last`, or the
 * liabilities of one day.
 */
export interface OtherLeaves {
  readonly first: number;
  readonly last: number;
  /** Null for liabilities, and if the ledger has no such transactions: their rows were removed. */
  readonly days: 'before' | 'after' | null;
  /** The text of the leaf of liabilities; null for transactions. */
  readonly text: string | null;
}

/** The assets and the liabilities of a closed day. */
export interface PackAssets {
  readonly day: Day;
  readonly lines: readonly AssetLine[];
  /** What the platform owed to users in each asset, as a decimal text. */
  readonly owed: readonly { readonly asset: LiabilityAsset; readonly total: string }[];
}

/** A file of the pack. Each call of `pieces` returns the same bytes, since all files are read from one snapshot. */
export interface PackFile {
  readonly name: string;
  readonly pieces: () => AsyncIterable<string | Buffer>;
  /** Computes the size of the file without its pieces, where that is faster. */
  readonly bytes?: () => Promise<number>;
}
