import { add } from '../ui/decimal.ts';

/** A ledger transaction in the log with its postings; credits are positive. */
export interface Leaf {
  /** Its place in the log, from 0. */
  index: number;
  type: string;
  reference: { type: string; id: string };
  effectiveAt: string;
  entries: { account: string; asset: string; amount: string }[];
}

/** The sum of the postings of one account and asset in a leaf. */
export const changeOf = ({ entries }: Leaf, account: string, asset: string): string =>
  entries
    .filter((posting) => posting.account === account && posting.asset === asset)
    .reduce((sum, posting) => add(sum, posting.amount), '0');
