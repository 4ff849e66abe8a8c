import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MoneyColumn } from '../../../../database/columns/money.column.js';
import type { Money } from '../../../../common/money.js';

/** A treasury run, with its running totals over all ledger entries up to `upTo`. */
@Entity('treasury_run')
export class TreasuryRun {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('integer')
  number!: number;

  @Column('timestamptz')
  at!: Date;

  /** The e-mail address of the admin who started the run. */
  @Column('text', { name: 'run_by' })
  runBy!: string;

  /** Id of the last ledger entry that was read: a bigint, which the driver returns as text. */
  @Column('bigint', { name: 'up_to' })
  upTo!: string;

  /** Per network: USDC that the deposit provider received, without the treasury's transfers. */
  @Column('jsonb')
  received!: Record<string, string>;

  /** USDC that the deposit provider has to keep for users. */
  @MoneyColumn({ name: 'owed' })
  owed!: Money;
}
