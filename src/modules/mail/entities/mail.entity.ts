import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MailDetails, MailKind, MailStatus } from '../mail.types.js';

@Entity('mail')
export class Mail {
  /** The local part of the header Message-ID of all attempts. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  recipient!: string;

  @Column('text')
  kind!: MailKind;

  @Column('jsonb')
  details!: MailDetails;

  @Column('text')
  status!: MailStatus;

  @Column('integer')
  attempts!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;

  /** Real time; the other times are domain time. */
  @Column('timestamptz', { name: 'leased_until', nullable: true })
  leasedUntil!: Date | null;

  @Column('timestamptz', { name: 'settled_at', nullable: true })
  settledAt!: Date | null;

  /** Why the last attempt failed. */
  @Column('text', { nullable: true })
  failure!: string | null;
}
