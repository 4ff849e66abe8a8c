import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Day } from '../../../../common/days.js';
import type { Verdict, ViolatedInvariant } from '../domain/invariant.js';

/** A stored integrity check. */
@Entity('integrity_run')
export class IntegrityRun {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz', { name: 'checked_at' })
  checkedAt!: Date;

  @Column('integer', { name: 'duration_ms' })
  durationMs!: number;

  /** Number of ledger entries at that time; the driver returns bigint as text. */
  @Column('bigint', { transformer: { from: Number, to: (entries: number) => entries } })
  entries!: number;

  @Column('text', { name: 'status' })
  verdict!: Verdict;

  @Column('jsonb')
  broken!: ViolatedInvariant[];

  /** True if this run paused withdrawals. */
  @Column('boolean')
  paused!: boolean;

  /** The day of which this run is the nightly check; null for other runs. */
  @Column('date', { nullable: true })
  night!: Day | null;

  /** E-mail address of the admin who resumed withdrawals after this run; null for other runs. */
  @Column('text', { name: 'acknowledged_by', nullable: true })
  acknowledgedBy!: string | null;
}
