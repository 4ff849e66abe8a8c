import type { Day } from '../../../common/days.js';
import type { Money } from '../../../common/money.js';
import type { PlatformEvent } from '../../../events/domain-events.js';
import type { YieldReportState } from './domain/yield-report.js';

/** Topic `yield`: emitted in the transaction that records a report of the custody provider, or an admin's decision about it. */
export interface YieldEvent extends PlatformEvent {
  readonly name: 'yield.reported' | 'yield.decided';
  readonly reportId: string;
  readonly strategyId: string;
  readonly day: Day;
  /** Achieved, percent a year. */
  readonly apy: Money;
  /** Null for a report without an amount. */
  readonly realisedAmount: Money | null;
  /** After the report or the decision. */
  readonly state: YieldReportState;
}
