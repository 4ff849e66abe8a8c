import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { Money } from '../../../../common/money.js';

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
