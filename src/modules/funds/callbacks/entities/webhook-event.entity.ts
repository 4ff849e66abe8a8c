import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { WebhookEventStatus, WebhookKind } from '../domain/webhook-event.js';

/** A callback of a provider. */
@Entity('webhook_event')
export class WebhookEvent {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  provider!: string;

  @Column('text')
  kind!: WebhookKind;

  /** Identifies the event: a callback of the same provider with the same key is a repetition. */
  @Column('text', { name: 'event_key' })
  eventKey!: string;

  /** The body as it was received. */
  @Column('text')
  body!: string;

  @Column('text')
  status!: WebhookEventStatus;

  /** Why the event was ignored or has failed; null in the other states. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** Attempts since the event was received or last replayed, the current one included. */
  @Column('integer')
  attempts!: number;

  @Column('timestamptz', { name: 'received_at' })
  receivedAt!: Date;

  /** The earliest time of the next attempt; while a process works on the event, the end of its claim. */
  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;

  /** When the event became processed, ignored or failed; null while its status is received. */
  @Column('timestamptz', { name: 'settled_at', nullable: true })
  settledAt!: Date | null;

  /** The seal of the verified callback; null if it was processed by a version without seals. */
  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}

/** The second record of a callback that waits. A trigger of the database inserts it. */
@Entity('webhook_pending')
export class WebhookPending {
  @PrimaryColumn('uuid', { name: 'event_id' })
  eventId!: string;
}
