import { Entity, PrimaryColumn } from 'typeorm';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { Day } from '../../../../common/days.js';
import type { Money } from '../../../../common/money.js';

/** The growth that was posted when a day began; rows never change. */
@Entity('strategy_accrual')
export class StrategyAccrual {
  @PrimaryColumn('text', { name: 'strategy_id' })
  strategyId!: string;

  @PrimaryColumn('date')
  day!: Day;

  /**
   * Earning units: issued at least two days before `day`, and outstanding when `day` began. An investment earns from the
   * day after the issue on, and the growth of that day shows when the next day begins.
   */
  @MoneyColumn({ name: 'units' })
  units!: Money;

  /** Posted growth, at six decimals. */
  @MoneyColumn({ name: 'growth' })
  growth!: Money;

  /** Growth below six decimals, carried into the next day. */
  @MoneyColumn({ name: 'carry' })
  carry!: Money;
}
