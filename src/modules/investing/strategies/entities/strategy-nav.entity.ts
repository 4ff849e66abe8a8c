import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { Day } from '../../../../common/days.js';
import type { Money } from '../../../../common/money.js';

/** Where the rate of a value comes from; `first` marks the first day of the strategy. */
type NavSource = 'first' | 'target' | 'reported' | 'suspended';

/** The published value of a unit on a day; rows never change. */
@Entity('strategy_nav')
export class StrategyNav {
  @PrimaryColumn('text', { name: 'strategy_id' })
  strategyId!: string;

  @PrimaryColumn('date')
  day!: Day;

  @MoneyColumn({ name: 'nav' })
  nav!: Money;

  /** The rate, in percent a year, at which the value has grown since the day before. */
  @MoneyColumn({ name: 'apy' })
  apy!: Money;

  /** Factor that makes up for late reports of earlier days. */
  @MoneyColumn({ name: 'correction' })
  correction!: Money;

  @Column('text')
  source!: NavSource;
}
