import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RecipientType } from '../live.types.js';

@Entity('live_event')
export class LiveEvent {
  @PrimaryColumn('uuid')
  id!: string;

  /** The number that the event got when it was inserted, before its commit: its place in the order of delivery. */
  @Column('bigint')
  sequence!: string;

  @Column('text', { name: 'recipient_type' })
  recipientType!: RecipientType;

  /** The id of the user or admin. Empty: all admins who hold the permission. */
  @Column('text', { name: 'recipient_id' })
  recipientId!: string;

  /** The permission that an admin needs to receive the event. Null for events of users. */
  @Column('text', { nullable: true })
  permission!: string | null;

  @Column('text')
  type!: string;

  /** Domain time. */
  @Column('timestamptz')
  at!: Date;

  /** JSON, sent byte for byte. */
  @Column('text')
  data!: string;

  /** Real time of the database. */
  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
