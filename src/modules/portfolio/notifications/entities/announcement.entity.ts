import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AnnouncementType, Audience } from '../notifications.types.js';

/** A message of an admin to many users. */
@Entity('announcement')
export class Announcement {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  type!: AnnouncementType;

  @Column('text')
  title!: string;

  @Column('text')
  message!: string;

  @Column('text')
  audience!: Audience;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** E-mail address of the admin. */
  @Column('text', { name: 'created_by' })
  createdBy!: string;

  /** The number of recipients when the announcement was created. */
  @Column('integer')
  recipients!: number;

  /** Ids of the recipients whose notifications are not written yet, in ascending order. */
  @Column('uuid', { array: true })
  waiting!: string[];

  /** Batches that were attempted and failed or are being attempted, since the last batch that succeeded. */
  @Column('integer')
  attempts!: number;

  /** The earliest time of the next batch; during a batch, the end of its lease. */
  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;

  /** When `waiting` became empty, in domain time; null before that. */
  @Column('timestamptz', { name: 'delivered_at', nullable: true })
  deliveredAt!: Date | null;
}
