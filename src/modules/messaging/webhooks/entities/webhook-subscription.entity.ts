import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DisabledReason, EventType, SubscriptionStatus } from '../webhooks.types.js';

/** A webhook: a user's URL, to which the events listed in `events` are sent. */
@Entity('webhook_subscription')
export class WebhookSubscription {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  url!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { array: true })
  events!: readonly EventType[];

  @Column('text')
  status!: SubscriptionStatus;

  /** Null while the subscription is active. */
  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  /** Encrypted by `SecretEncryptionService`, as is `previousSecret`. */
  @Column('bytea')
  secret!: Buffer;

  /** Null until the secret is rotated. */
  @Column('bytea', { name: 'previous_secret', nullable: true })
  previousSecret!: Buffer | null;

  /** Until this time deliveries are signed with the previous secret, too; null without one. */
  @Column('timestamptz', { name: 'previous_until', nullable: true })
  previousUntil!: Date | null;

  /** Time of the first failed attempt since a delivery last succeeded or the user changed the status; null without one. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}
