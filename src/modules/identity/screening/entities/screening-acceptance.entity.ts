import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Subject } from '../domain/subject.js';

/** A review that an admin has accepted for one withdrawal. */
@Entity('screening_acceptance')
export class ScreeningAcceptance {
  @PrimaryColumn('uuid', { name: 'withdrawal_id' })
  withdrawalId!: string;

  @PrimaryColumn('text')
  subject!: Subject;

  /** The provider's reference of the accepted verdict. */
  @Column('text')
  reference!: string;

  @Column('text')
  reason!: string;

  /** Real time, by the database's clock. */
  @Column('timestamptz', { name: 'accepted_at' })
  acceptedAt!: Date;

  /** The e-mail address of the admin. */
  @Column('text', { name: 'accepted_by' })
  acceptedBy!: string;
}
