import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A pause of all withdrawals, with times of the domain clock. The current pause has no `resumedAt`. */
@Entity('withdrawal_pause')
export class WithdrawalPause {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz')
  since!: Date;

  /** An admin's e-mail address, or `system`. */
  @Column('text', { name: 'paused_by' })
  pausedBy!: string;

  @Column('text')
  reason!: string;

  @Column('timestamptz', { name: 'resumed_at', nullable: true })
  resumedAt!: Date | null;

  /** An admin's e-mail address. */
  @Column('text', { name: 'resumed_by', nullable: true })
  resumedBy!: string | null;

  @Column('text', { name: 'resume_reason', nullable: true })
  resumeReason!: string | null;
}
