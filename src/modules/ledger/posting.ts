import { Money } from '../../common/money.js';
import type { Account } from './chart-of-accounts.js';

/** What a movement of a user's free balance counts as; the breakdown of a balance sums by it. */
export type Category = 'deposit' | 'withdrawal' | 'investment' | 'earning' | 'fee' | 'internal';

export interface Entry {
  readonly account: Account;
  /** Credit positive, debit negative; in the account's asset. */
  readonly amount: Money;
}

export type PostingType =
  | 'deposit'
  | 'deposit-held'
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

/** One business fact as the ledger takes it. The same type and reference can be posted only once. */
export interface Posting {
  readonly type: PostingType;
  readonly category: Category;
  readonly reference: { readonly type: string; readonly id: string };
  /** Domain time. */
  readonly at: Date;
  readonly description: string;
  readonly entries: readonly Entry[];
}

/** `amount` from one account to another: debit → credit. A negative amount goes the other way. */
export function move(amount: Money, debit: Account, credit: Account): Entry[] {
  if (debit.asset !== credit.asset) throw new Error(`can not move ${debit.asset} into ${credit.asset}`);
  if (amount.isZero()) return [];
  return [
    { account: debit, amount: amount.negated() },
    { account: credit, amount },
  ];
}
