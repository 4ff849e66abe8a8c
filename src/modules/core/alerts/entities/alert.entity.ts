import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AlertKind } from '../alerts.types.js';

/** An alert. Has no foreign keys, so that it outlives the record that it concerns. Times are domain time. */
@Entity('alert')
export class Alert {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  kind!: AlertKind;

  /** For example `deposit` or `process`. */
  @Column('text', { name: 'subject_type' })
  subjectType!: string;

  /** The id of the record, or a name such as the host name of a process. */
  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  /** The user whom the record concerns; null if it concerns no user. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  /** The transaction of the event that the alert reports; null if the alert reports a condition. */
  @Column('text', { name: 'tx_hash', nullable: true })
  txHash!: string | null;

  /** The condition or event, as a sentence. */
  @Column('text')
  message!: string;

  /** The action that an operator has to take, as a sentence. */
  @Column('text', { name: 'next_step' })
  nextStep!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null while the alert is open, as the two fields below. */
  @Column('timestamptz', { name: 'resolved_at', nullable: true })
  resolvedAt!: Date | null;

  /** The e-mail address of an admin, or `system` if the condition ended. */
  @Column('text', { name: 'resolved_by', nullable: true })
  resolvedBy!: string | null;

  /** The reason that the admin has given, or that the condition ended. */
  @Column('text', { nullable: true })
  reason!: string | null;
}
