import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { WithdrawalStatus, WithdrawalVerb } from './withdrawal.transitions.js';

/** One transition of a withdrawal. */
@Entity('withdrawal_event')
export class WithdrawalEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: string;

  @Column('uuid', { name: 'withdrawal_id' })
  withdrawalId!: string;

  @Column('text')
  status!: WithdrawalStatus;

  @Column('text')
  verb!: WithdrawalVerb | 'request';

  @Column('timestamptz')
  at!: Date;

  @Column('text', { name: 'by_type' })
  byType!: 'user' | 'admin' | 'provider';

  @Column('text', { name: 'by_id' })
  byId!: string;

  @Column('text', { nullable: true })
  note!: string | null;
}
