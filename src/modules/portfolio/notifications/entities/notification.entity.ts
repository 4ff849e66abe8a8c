import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Category, NotificationMetadata, NotificationType, Priority } from '../notifications.types.js';

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
