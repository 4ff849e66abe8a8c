import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MailDetails, MailKind, MailStatus } from '../mail.types.js';

@Entity('mail')
export class Mail {
  /** Also the local part of the header Message-ID, which is the same in all attempts. */
  @PrimaryColumn('uuid')
  id!: string;

  /** Null for mail to an admin. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  /** The e-mail address to which the mail goes. */
  @Column('text')
  recipient!: string;

  @Column('text')
  kind!: MailKind;

  /** Claimed before other mail, and sent even if the user has switched e-mail off. */
  @Column('boolean', { name: 'is_security' })
  isSecurity!: boolean;

  @Column('jsonb')
  details!: MailDetails;

  /**
   * Null in a mail about one event. In a summary, the number of its events, which are of one user and kind and followed an event with a
   * mail of its own (`windowMsOf`).
   */
  @Column('integer', { nullable: true })
  repeats!: number | null;

  /** Of a summary: the details of the events after the first one, which is in `details`; at most a hundred. */
  @Column('jsonb', { name: 'further_details' })
  furtherDetails!: readonly MailDetails[];

  @Column('text')
  status!: MailStatus;

  /** Attempts to send, including one that is running. An attempt that ends because its process stops is subtracted. */
  @Column('integer')
  attempts!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** When the next attempt may begin; equal to `settledAt` if there is none. */
  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;

  /** The end of the present claim, in real time; the other times are domain time. Null without a claim. */
  @Column('timestamptz', { name: 'leased_until', nullable: true })
  leasedUntil!: Date | null;

  /** When the mail was sent or given up; null while it waits. */
  @Column('timestamptz', { name: 'settled_at', nullable: true })
  settledAt!: Date | null;

  /** The reply code of the SMTP server or the kind of fault; null unless the last attempt failed. */
  @Column('text', { nullable: true })
  failure!: string | null;
}
