import { demand } from '../encoding.js';
import type { LeafEntry } from './accounts.js';
import { amountText, SCALE } from './decimals.js';
import type { ClosedDays } from './closed-days.js';

/** Accounts whose balances the platform owes to users. */
const OWED = /^(user\.(available|reserved|invested)|strategy\.accrued)(\/|$)/;
const SUSPENSE = 'suspense';
/**
 * By how much the published total of a day can be below the balances: each investment is valued with six decimals, half of the
 * differences up and half of them down.
 */
const ROUNDING = 10n ** BigInt(SCALE - 2);

/** Compares the published totals of liabilities of each day with the balances at the end of the day. */
export class OwedComparison {
  private readonly owed = new Map<string, bigint>();
  /** The closed days of the pack that are not compared yet, in their order. */
  private readonly days: [day: string, totals: ReadonlyMap<string, bigint>][];
  /** The first difference. */
  problem: string | undefined;
  compared = 0;

  constructor({ totals }: ClosedDays) {
    this.days = [...totals];
  }

  addOpening(account: string, asset: string, amount: bigint): void {
    if (OWED.test(account)) this.add(asset, amount);
  }

  /**
   * Compares the days before `day`, which is that of a transaction, and adds its entries. Suspense counts from the first day on,
   * since its opening balance does not say to whom it belongs.
   */
  addTransaction(day: string, referenceType: string, entries: readonly LeafEntry[]): void {
    this.compareDaysBefore(day);
    for (const { account, asset, amount } of entries)
      if (OWED.test(account) || (account === SUSPENSE && referenceType === 'deposit'))
        this.add(asset, amount);
  }

  /** Compares the days that are left. Throws the first difference of all days. */
  finish(): string {
    this.compareDaysBefore('9999-12-31');
    demand(this.problem === undefined, this.problem ?? '');
    return `the totals of ${this.compared} days are not below the balances of users at their ends`;
  }

  private add(asset: string, amount: bigint): void {
    this.owed.set(asset, (this.owed.get(asset) ?? 0n) + amount);
  }

  private compareDaysBefore(day: string): void {
    for (let [next] = this.days; next && next[0] < day; [next] = this.days) {
      this.days.shift();
      this.compared += 1;
      const [closed, totals] = next;
      for (const [asset, owed] of this.owed) {
        const published = totals.get(asset) ?? 0n;
        if (asset.startsWith('UNIT:') || published >= owed - ROUNDING) continue;
        this.problem ??= `The total of ${closed} in ${asset} is ${amountText(published)}, and the ledger owes ${amountText(owed)}.`;
      }
    }
  }
}
