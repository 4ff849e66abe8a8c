import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Protocol, RiskLevel, StrategyDefinition } from '../../../../config/strategies-file.js';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { Day } from '../../../../common/days.js';
import { Money } from '../../../../common/money.js';

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
