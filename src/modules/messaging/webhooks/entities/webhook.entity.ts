import { Column, Entity, PrimaryColumn } from 'typeorm';
import type {
  DeliveryStatus,
  DisabledReason,
  EventType,
  Failure,
  SubscriptionStatus,
  TEST_EVENT,
} from '../webhooks.types.js';

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
  previousSecretUntil!: Date | null;

  /** Time of the first failed attempt since a delivery last succeeded or the user changed the status; null without one. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;
}

/** An event for one subscription, kept in the outbox for thirty days. */
@Entity('webhook_delivery')
export class WebhookDelivery {
  /** The header webhook-id of all attempts. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'subscription_id' })
  subscriptionId!: string;

  /** The user of the subscription, which a trigger fills in if it is missing; null in deliveries that were settled under version 1.0.0. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId?: string | null;

  @Column('text')
  event!: EventType | typeof TEST_EVENT;

  /** The JSON text that is sent and signed. */
  @Column('text')
  body!: string;

  @Column('text')
  status!: DeliveryStatus;

  /** Number of attempts since the creation or the last redelivery. */
  @Column('integer')
  attempts!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** The earliest time of the next attempt; while an attempt is under way, the end of its lease. */
  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;

  /** The time of the last attempt; null before the first one. */
  @Column('timestamptz', { name: 'attempted_at', nullable: true })
  attemptedAt!: Date | null;

  /** When the status became `delivered` or `dead`; null while the delivery is pending. */
  @Column('timestamptz', { name: 'settled_at', nullable: true })
  settledAt!: Date | null;

  /**
   * The result of the last attempt, in this and the next two fields: null without a response, without a failure, and before any attempt.
   */
  @Column('integer', { name: 'response_status', nullable: true })
  responseStatus!: number | null;

  @Column('text', { nullable: true })
  failure!: Failure | null;

  @Column('integer', { name: 'duration_ms', nullable: true })
  durationMs!: number | null;
}
