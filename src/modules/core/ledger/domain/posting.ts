import { Money } from '../../../../common/money.js';
import type { Account, PostingType } from './chart-of-accounts.js';

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
