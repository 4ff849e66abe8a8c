import { Column, Entity, PrimaryColumn } from 'typeorm';
import type {
  AnnouncementType,
  Audience,
  Category,
  NotificationMetadata,
  NotificationType,
  Priority,
} from '../notifications.types.js';

@Entity('notification')
export class Notification {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  type!: NotificationType;

  @Column('text')
  title!: string;

  @Column('text')
  message!: string;

  @Column('text')
  priority!: Priority;

  /** From 4 for critical to 1 for low; a generated column. */
  @Column({ type: 'smallint', name: 'priority_rank', insert: false, update: false })
  priorityRank!: number;

  @Column('text')
  category!: Category;

  /** A path in the user interface; null if there is nothing to do. */
  @Column('text', { name: 'action_url', nullable: true })
  actionUrl!: string | null;

  @Column('jsonb')
  metadata!: NotificationMetadata;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'read_at', nullable: true })
  readAt!: Date | null;

  /** A user has at most one notification with this key; null for notifications that may repeat. */
  @Column('text', { name: 'told_once', nullable: true })
  onceKey!: string | null;

  /** The kind of event that the notification reports; null if it follows from no domain event. */
  @Column('text', { nullable: true })
  kind!: string | null;

  /** Null in a notification about one event. In a summary, the number of its events. */
  @Column('integer', { nullable: true })
  repeats!: number | null;
}

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
