import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Category, Note, NotificationType, Priority } from '../notification.words.js';

@Entity('notification')
export class NotificationEntity {
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

  /** 4 critical … 1 low; the database works it out. */
  @Column({ type: 'smallint', name: 'priority_rank', insert: false, update: false })
  priorityRank!: number;

  @Column('text')
  category!: Category;

  @Column('text', { name: 'action_url', nullable: true })
  actionUrl!: string | null;

  @Column('jsonb')
  metadata!: Note['metadata'];

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'read_at', nullable: true })
  readAt!: Date | null;
}
