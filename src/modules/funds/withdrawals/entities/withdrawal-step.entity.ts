import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { WithdrawalAction, WithdrawalStatus } from '../domain/withdrawal.state-machine.js';

/** One step of a withdrawal's lifecycle, inserted together with the withdrawal or its change. */
@Entity('withdrawal_event')
export class WithdrawalStep {
  /** An identity column; PostgreSQL's bigint is text here. */
  @PrimaryColumn('bigint')
  id!: string;

  @Column('uuid', { name: 'withdrawal_id' })
  withdrawalId!: string;

  /** The status that the verb led to. */
  @Column('text')
  status!: WithdrawalStatus;

  @Column('text')
  verb!: WithdrawalAction;

  @Column('timestamptz')
  at!: Date;

  @Column('text', { name: 'by_type' })
  byType!: 'user' | 'admin' | 'provider' | 'system';

  /** A user's id, an admin's e-mail address, a provider's name or `system`. */
  @Column('text', { name: 'by_id' })
  byId!: string;

  @Column('text', { nullable: true })
  note!: string | null;
}
