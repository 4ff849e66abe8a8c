import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('withdrawal_pause')
export class WithdrawalPause {
  @PrimaryColumn('uuid')
  id!: string;

  /** Domain time. */
  @Column('timestamptz')
  since!: Date;

  /** An admin's e-mail address, or `system`. */
  @Column('text', { name: 'paused_by' })
  pausedBy!: string;

  @Column('text')
  reason!: string;

  @Column('timestamptz', { name: 'resumed_at', nullable: true })
  resumedAt!: Date | null;

  @Column('text', { name: 'resumed_by', nullable: true })
  resumedBy!: string | null;

  @Column('text', { name: 'resume_reason', nullable: true })
  resumeReason!: string | null;
}
