import type { Day } from '../../../common/days.js';
import type { Money } from '../../../common/money.js';

/** A ledger transaction that belongs to the record of a receipt. */
export interface PostedTransaction {
  readonly id: string;
  readonly type: string;
  readonly effectiveAt: Date;
}

/** The ledger transactions of a record, and the version of its row with which they were committed. */
export interface PostedRecord {
  /** Changes with each change of the row. Null if there is no such record. */
  readonly version: string | null;
  readonly posted: readonly PostedTransaction[];
}

/** A published net asset value with its factors: it is the value of the day before × (1 + apy/100)^(1/365) × correction. */
export interface ReceiptNav {
  readonly day: Day;
  readonly nav: Money;
  /** Percent a year. */
  readonly apy: Money;
  readonly correction: Money;
  /**
   * Where `apy` is from: the strategy's target, a report of the custody provider, or, for a day on which the strategy was
   * suspended, zero. `first` is the value of the first day, which is 1 and has no day before it.
   */
  readonly source: 'first' | 'target' | 'reported' | 'suspended';
  /** The report that set the rate; null unless the source is `reported`. */
  readonly reportId: string | null;
}

/** An investment that was moved into the next one of its chain. */
export interface EarlierLeg {
  /** Principal, less the shares of partial closings. */
  readonly amount: Money;
  readonly createdAt: Date;
  readonly endedAt: Date;
  readonly finalValue: Money;
  /** Percent; null for investments that ended before the rates were recorded. */
  readonly managementFeePercent: Money | null;
  readonly performanceFeePercent: Money | null;
}
