import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Day } from '../../../../common/days.js';
import { Money } from '../../../../common/money.js';
import type { Protocol, RiskLevel, StrategyDefinition } from '../../../../config/strategies-file.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';

type StoredProtocol = Record<keyof Protocol, string>;

const protocolsTransformer = {
  from: (stored: StoredProtocol[]): Protocol[] =>
    stored.map(({ name, weight }) => ({ name, weight: Money.of(weight) })),
  to: (protocols: readonly Protocol[]): StoredProtocol[] =>
    protocols.map(({ name, weight }) => ({ name, weight: weight.toString() })),
};

/** A yield strategy: an entry of STRATEGIES_FILE, or one that was removed from the file. */
@Entity('strategy')
export class Strategy implements StrategyDefinition {
  @PrimaryColumn('text')
  id!: string;

  /** Position in the file, from 0. */
  @Column('integer')
  position!: number;

  @Column('text')
  name!: string;

  @Column('text')
  description!: string;

  @Column('text', { name: 'risk_level' })
  riskLevel!: RiskLevel;

  /** Target, percent a year. `strategy_nav` records the rate of every day. */
  @MoneyColumn({ name: 'apy' })
  apy!: Money;

  /** Percent a year before the day `apyFrom`; null if the APY has never changed. */
  @MoneyColumn({ name: 'former_apy', nullable: true })
  formerApy!: Money | null;

  /** The first day whose growth has the present APY: the day after the change. Null as `formerApy`. */
  @Column('date', { name: 'apy_from', nullable: true })
  apyFrom!: Day | null;

  /** Smallest and largest investment, USDC. */
  @MoneyColumn({ name: 'minimum' })
  minimum!: Money;

  @MoneyColumn({ name: 'maximum' })
  maximum!: Money;

  @Column({ type: 'jsonb', transformer: protocolsTransformer })
  protocols!: readonly Protocol[];

  /** Domain time, like `updatedAt` and `removedAt`. */
  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  /** The start of the service at which the strategy was first missing from the file; null for a strategy of the file. */
  @Column('timestamptz', { name: 'removed_at', nullable: true })
  removedAt!: Date | null;
}

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
