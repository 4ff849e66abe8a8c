import { Money } from '../../../../common/money.js';

// The chart of accounts: all kinds of accounts that hold money or units, and the postings between them.

/** The owner of the platform's accounts. */
export const PLATFORM = '00000000-0000-0000-0000-000000000000';

/** The identity of an account. */
export interface Account {
  /** The id of a user, or PLATFORM. */
  readonly owner: string;
  readonly kind: AccountKind;
  /** A network or the id of a strategy, as ACCOUNT_KINDS states for the kind; empty for the other kinds. */
  readonly scope: string;
  /** USDC, USDT, ETH, or the units of a strategy (`unitsOf`). */
  readonly asset: string;
}

/**
 * Kinds of account with their class. An account of class `user` belongs to one user and stores its balance, which is never
 * negative. All other accounts belong to the platform and store no balance: it is the sum of their entries.
 */
export const ACCOUNT_KINDS = {
  'asset.deposit-provider': 'asset', // tokens at the deposit provider; scope: network
  'asset.custody': 'asset', // tokens at the custody provider
  'user.available': 'user', // may be invested or withdrawn
  'user.invested': 'user', // principal of open investments
  'user.reserved': 'user', // held for withdrawals in progress
  'user.units': 'user', // units held; one asset per strategy
  'strategy.units': 'units', // units issued, as a negative number
  'strategy.accrued': 'liability', // growth owed to holders of units, not yet realised; scope: strategy
  suspense: 'liability', // received, but below the minimum or without an owner
  'income.management-fee': 'income',
  'income.performance-fee': 'income',
  'income.strategy-yield': 'income',
  'expense.yield': 'expense', // growth accrued for holders of units; scope: strategy
  conversion: 'equity', // the USDT and the USDC of converted deposits, each in its own account
  rounding: 'equity', // amounts below the sixth decimal
} as const;

export type AccountKind = keyof typeof ACCOUNT_KINDS;
type UserAccountKind = {
  [Kind in AccountKind]: (typeof ACCOUNT_KINDS)[Kind] extends 'user' ? Kind : never;
}[AccountKind];
type PlatformAccountKind = Exclude<AccountKind, UserAccountKind>;

export type PostingType =
  | 'deposit'
  | 'deposit-held'
  | 'deposit-reversed'
  | 'investment'
  | 'units-issued'
  | 'divestment'
  | 'earning'
  | 'fee'
  | 'forfeit'
  | 'yield'
  | 'realised-yield'
  | 'withdrawal-requested'
  | 'withdrawal-completed'
  | 'withdrawal-released'
  | 'treasury-transfer';

/** The currency of balances, investments and withdrawals. */
export const USDC = 'USDC';

/** The asset in which the units of a strategy are booked. */
export function unitsOf(strategyId: string): string {
  return `UNIT:${strategyId}`;
}

export function userAccount(owner: string, kind: UserAccountKind, asset: string = USDC): Account {
  return { owner, kind, scope: '', asset };
}

export function platformAccount(kind: PlatformAccountKind, asset: string = USDC, scope = ''): Account {
  return { owner: PLATFORM, kind, scope, asset };
}

/** True for the accounts that a user's balance shows. */
export function isUserFunds({ kind, asset }: Account): boolean {
  return (
    asset === USDC && (kind === 'user.available' || kind === 'user.invested' || kind === 'user.reserved')
  );
}

/**
 * Selects the sum of the balance breakdown (`UserFunds`) in which an entry of the available balance is counted. Entries of
 * the category `investment` are in none of the sums; postings of the category `internal` have no such entries.
 */
export type Category = 'deposit' | 'withdrawal' | 'investment' | 'earning' | 'fee' | 'internal';

export interface Entry {
  readonly account: Account;
  /** In the account's asset; a credit is positive, a debit negative. */
  readonly amount: Money;
}

/** A balanced group of entries for one event. Type and reference together are unique. */
export interface Posting {
  readonly type: PostingType;
  readonly category: Category;
  /** The type and the id of the record for which the posting is made, such as a withdrawal. */
  readonly reference: { readonly type: string; readonly id: string };
  /** The domain time of the event. */
  readonly at: Date;
  readonly description: string;
  readonly entries: readonly Entry[];
}

/** Entries that move `amount` from `debit` to `credit`, or in the opposite direction if it is negative; none for zero. */
export function move(amount: Money, debit: Account, credit: Account): Entry[] {
  if (debit.asset !== credit.asset) throw new Error(`cannot move ${debit.asset} into ${credit.asset}`);
  if (amount.isZero()) return [];
  return [
    { account: debit, amount: amount.negated() },
    { account: credit, amount },
  ];
}
