import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { Day } from '../../../../common/days.js';
import type { Money } from '../../../../common/money.js';
import type { WaitingReason, YieldReportState } from '../domain/yield-report.js';

/** A yield report, which the custody provider sends as an event. */
@Entity('yield_report')
export class YieldReport {
  /** The custody provider's id of the event. */
  @PrimaryColumn('text', { name: 'event_id' })
  eventId!: string;

  @Column('uuid')
  id!: string;

  /** The order in which reports were applied; an accepted report moves to the end. */
  @Column({ type: 'bigint', insert: false })
  sequence!: string;

  @Column('text', { name: 'strategy_id' })
  strategyId!: string;

  @Column('date')
  day!: Day;

  @Column('text')
  state!: YieldReportState;

  /** Achieved, percent a year. */
  @MoneyColumn({ name: 'apy' })
  apy!: Money;

  /** The rate that the day had when the report arrived or was accepted. */
  @MoneyColumn({ name: 'used_apy' })
  usedApy!: Money;

  /** USDC that the custody provider received for the day; null if a waiting or rejected report does not state it. */
  @MoneyColumn({ name: 'realised_amount', nullable: true })
  realisedAmount!: Money | null;

  /** What an admin decides or has decided about; empty if the report did not wait. */
  @Column('text', { name: 'waiting_for', array: true })
  waitingFor!: WaitingReason[];

  /** The realised amount that was expected when the report arrived; null if the report does not state an amount. */
  @MoneyColumn({ name: 'expected_amount', nullable: true })
  expectedAmount!: Money | null;

  /** Domain time, like `decidedAt`. */
  @Column('timestamptz', { name: 'reported_at' })
  reportedAt!: Date;

  /** Day of the value that includes the report; null until then. */
  @Column('date', { name: 'applied_on', nullable: true })
  appliedOn!: Day | null;

  /** Null without a decision of an admin, as `decidedBy`. */
  @Column('timestamptz', { name: 'decided_at', nullable: true })
  decidedAt!: Date | null;

  /** E-mail address of the admin who decided. */
  @Column('text', { name: 'decided_by', nullable: true })
  decidedBy!: string | null;

  /** Reason of a rejection; null without one. */
  @Column('text', { name: 'decision_reason', nullable: true })
  decisionReason!: string | null;

  /** Without a valid seal the report is ignored (`src/common/sealed-rows.ts`). */
  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}
