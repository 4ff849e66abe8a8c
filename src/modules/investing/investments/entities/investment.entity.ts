import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Day } from '../../../../common/days.js';
import type { Money } from '../../../../common/money.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { InvestmentStatus } from '../domain/investment.state-machine.js';

/** An investment of a user in one strategy: one leg, if moves connect it with others. */
@Entity('investment')
export class Investment {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text', { name: 'strategy_id' })
  strategyId!: string;

  @Column('text')
  status!: InvestmentStatus;

  /** Principal in USDC, less the shares of partial closings. */
  @MoneyColumn({ name: 'amount' })
  amount!: Money;

  /** Zero until the units are issued; reduced by partial closings. */
  @MoneyColumn({ name: 'units' })
  units!: Money;

  /** UTC day on which the units were issued; null until then. */
  @Column('date', { name: 'issued_on', nullable: true })
  issuedOn!: Day | null;

  /** From the body of the request, not from the header; null without one. A second investment of the user with the same key is refused. */
  @Column('uuid', { name: 'idempotency_key', nullable: true })
  idempotencyKey!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  /** E-mail address of the admin who approved the investment; null without an approval, as `approvedAt`. */
  @Column('text', { name: 'approved_by', nullable: true })
  approvedBy!: string | null;

  @Column('timestamptz', { name: 'approved_at', nullable: true })
  approvedAt!: Date | null;

  /** When the investment was closed or cancelled; null while it is open. */
  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  /** Of a closed investment its price before fees; of a cancelled one the amount paid; null while it is open. */
  @MoneyColumn({ name: 'final_value', nullable: true })
  finalValue!: Money | null;

  /** All fees of the last closing, without those of partial closings; zero if the investment is open, moved or cancelled. */
  @MoneyColumn({ name: 'fees' })
  fees!: Money;

  /** The number of partial closings. */
  @Column('integer', { name: 'closed_parts' })
  closedParts!: number;

  /** Sums over the partial closings: principal, growth (a loss is negative) and fees. */
  @MoneyColumn({ name: 'closed_principal' })
  closedPrincipal!: Money;

  @MoneyColumn({ name: 'closed_growth' })
  closedGrowth!: Money;

  @MoneyColumn({ name: 'closed_fees' })
  closedFees!: Money;

  /** Growth of earlier legs in `closedPrincipal`: the closed principal less the closed share of the first principal. */
  @MoneyColumn({ name: 'closed_earlier_growth' })
  closedEarlierGrowth!: Money;

  /** E-mail address of the admin who closed or rejected the investment; null if it is open or its user ended it. */
  @Column('text', { name: 'ended_by', nullable: true })
  endedBy!: string | null;

  /** Reason of a rejection; null without one. */
  @Column('text', { nullable: true })
  note!: string | null;

  /** Id of the investment that was moved into this one; null if no move opened it. */
  @Column('uuid', { name: 'moved_from', nullable: true })
  movedFrom!: string | null;

  /** Id of the investment into which this one was moved; null if it was not moved. */
  @Column('uuid', { name: 'moved_to', nullable: true })
  movedTo!: string | null;

  /**
   * Only of an investment that a move opened: the principal of the first investment of the chain of moves, less the shares of
   * partial closings.
   */
  @MoneyColumn({ name: 'first_principal', nullable: true })
  firstPrincipal!: Money | null;

  /** Only of an investment that a move opened: when the first investment of the chain was created. */
  @Column('timestamptz', { name: 'first_made_at', nullable: true })
  firstMadeAt!: Date | null;

  /** Fees that closing would have charged for the earlier legs, less the shares of partial closings. */
  @MoneyColumn({ name: 'carried_fees' })
  carriedFees!: Money;

  /** The performance fees in `carriedFees`; the rest are management fees. */
  @MoneyColumn({ name: 'carried_performance_fees' })
  carriedPerformanceFees!: Money;

  /** The value on the day of the end, less `finalValue`; zero for an open investment. */
  @MoneyColumn({ name: 'forfeited' })
  forfeited!: Money;

  /** The rates at which closing or moving computed the fees, percent; null for open and cancelled investments. */
  @MoneyColumn({ name: 'management_fee_percent', nullable: true })
  managementFeePercent!: Money | null;

  @MoneyColumn({ name: 'performance_fee_percent', nullable: true })
  performanceFeePercent!: Money | null;
}

/** A partial closing of an investment. */
@Entity('investment_closing')
export class InvestmentClosing {
  @PrimaryColumn('uuid', { name: 'investment_id' })
  investmentId!: string;

  /** Counts the partial closings of one investment from 1. */
  @PrimaryColumn('integer')
  number!: number;

  @Column('timestamptz')
  at!: Date;

  /** E-mail address of the admin. */
  @Column('text', { name: 'closed_by' })
  closedBy!: string;

  /** The amount before fees: `principal` and its growth. */
  @MoneyColumn({ name: 'value' })
  value!: Money;

  /** The closed share of the principal. */
  @MoneyColumn({ name: 'principal' })
  principal!: Money;

  /** Redeemed units. */
  @MoneyColumn({ name: 'units' })
  units!: Money;

  @MoneyColumn({ name: 'management_fee' })
  managementFee!: Money;

  @MoneyColumn({ name: 'performance_fee' })
  performanceFee!: Money;

  /** The fees of earlier legs that this closing charged. */
  @MoneyColumn({ name: 'carried_fee' })
  carriedFee!: Money;

  /** The performance fees in `carriedFee`; the rest are management fees. */
  @MoneyColumn({ name: 'carried_performance_fee' })
  carriedPerformanceFee!: Money;

  /** Value of the redeemed units on the day of the closing, less `value`. */
  @MoneyColumn({ name: 'forfeited' })
  forfeited!: Money;
}
