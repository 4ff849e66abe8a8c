import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyColumn } from '../../../database/columns/money.column.js';
import type { Money } from '../../../common/money.js';

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

  /** The price before fees: the share of the principal and its growth. */
  @MoneyColumn({ name: 'value' })
  value!: Money;

  @MoneyColumn({ name: 'principal' })
  principal!: Money;

  /** Redeemed units. */
  @MoneyColumn({ name: 'units' })
  units!: Money;

  @MoneyColumn({ name: 'management_fee' })
  managementFee!: Money;

  @MoneyColumn({ name: 'performance_fee' })
  performanceFee!: Money;

  @MoneyColumn({ name: 'carried_fee' })
  carriedFee!: Money;

  /** The performance fees in `carriedFee`; the rest are management fees. */
  @MoneyColumn({ name: 'carried_performance_fee' })
  carriedPerformanceFee!: Money;

  /** Value of the redeemed units on the day of the closing, less `value`. */
  @MoneyColumn({ name: 'forfeited' })
  forfeited!: Money;
}
