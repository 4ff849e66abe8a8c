import { createHash } from 'node:crypto';
import { StateMachine } from '../../common/state-machine.js';
import { fieldsOf, parseMessage, textOf } from '../deposits/domain/crypto2b-protocol.js';

export const WEBHOOK_KINDS = ['deposit', 'withdrawal', 'yield'] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

export const WEBHOOK_EVENT_STATUSES = ['received', 'processed', 'ignored', 'failed'] as const;
export type WebhookEventStatus = (typeof WEBHOOK_EVENT_STATUSES)[number];

/** What admins do about an event that has come to its end without doing anything. */
export const WEBHOOK_EVENT_STATES = new StateMachine<WebhookEventStatus, 'replay'>([
  { verb: 'replay', from: ['failed', 'ignored'], to: 'received' },
]);

/** A callback as it was stored. */
export interface WebhookEvent {
  readonly id: string;
  readonly kind: WebhookKind;
  /** The provider's own, or made of what makes the event one. */
  readonly eventKey: string;
  readonly body: string;
  /** How often it was taken up, this time included. */
  readonly attempts: number;
}

/** What acting on an event came to. */
export interface Outcome {
  readonly status: Exclude<WebhookEventStatus, 'received'>;
  /** Of `ignored` and `failed`. */
  readonly reason: string | null;
}

export const PROCESSED: Outcome = { status: 'processed', reason: null };

/**
 * The deposit provider gives its events no id: one is (id, status, confirmations) of what it tells of. A body that
 * makes no sense is kept under its own digest.
 */
export function depositProviderKey(kind: WebhookKind, body: string): string {
  const data = fieldsOf(fieldsOf(parseMessage(body)).data);
  const [id, status] = [textOf(data.id), textOf(data.status)];
  if (!id || !status) return `${kind}:sha256:${createHash('sha256').update(body).digest('hex')}`;
  return `${kind}:${id}:${status}:${textOf(fieldsOf(data.transaction).confirmations) ?? '-'}`;
}
