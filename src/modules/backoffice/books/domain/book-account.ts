import { Money } from '../../../../common/money.js';
import { ACCOUNT_KINDS, type AccountKind } from '../../../core/ledger/domain/chart-of-accounts.js';

// The platform's books have one account for each account of the platform in the ledger, and one for all users' accounts of one kind
// and asset together.

export const ACCOUNT_CLASSES = ['asset', 'liability', 'equity', 'income', 'expense'] as const;
export type AccountClass = (typeof ACCOUNT_CLASSES)[number];

/** What belongs to users is owed to them. Units issued are the counterpart of the units that users hold. */
const OTHER_CLASSES: Readonly<Record<string, AccountClass>> = { user: 'liability', units: 'equity' };

/** The identity of an account of the books. */
export interface AccountKey {
  readonly kind: AccountKind;
  /** A network or the id of a strategy; empty for accounts without one. */
  readonly scope: string;
  readonly asset: string;
}

/** An account of the books, and its balances before and after a range of days. As in the ledger, a credit is positive. */
export interface BookBalance extends AccountKey {
  readonly opening: Money;
  readonly closing: Money;
}

/** `<kind>:<scope>:<asset>`, without the scope if there is none. */
export function idOf({ kind, scope, asset }: AccountKey): string {
  return [kind, scope, asset].filter((part) => part !== '').join(':');
}

export function classOf({ kind }: AccountKey): AccountClass {
  const ledgerClass = ACCOUNT_KINDS[kind];
  return OTHER_CLASSES[ledgerClass] ?? (ledgerClass as AccountClass);
}

export function ownerOf({ kind }: AccountKey): 'platform' | 'users' {
  return ACCOUNT_KINDS[kind] === 'user' ? 'users' : 'platform';
}

const CHART = Object.keys(ACCOUNT_KINDS);

/** For sorting: the order of the chart of accounts. */
export function inChartOrder(a: AccountKey, b: AccountKey): number {
  if (a.kind !== b.kind) return CHART.indexOf(a.kind) - CHART.indexOf(b.kind);
  return idOf(a) < idOf(b) ? -1 : 1;
}

/** The sums of amounts by asset, in the order of the first of each. */
export function sumByAsset(amounts: Iterable<readonly [asset: string, amount: Money]>): Map<string, Money> {
  const sums = new Map<string, Money>();
  for (const [asset, amount] of amounts) sums.set(asset, (sums.get(asset) ?? Money.ZERO).plus(amount));
  return sums;
}
