import { createHash } from 'node:crypto';
import { fieldsOf, parseMessage, textOf } from '../deposits/provider/crypto2b-messages.js';

export type WebhookKind = 'deposit' | 'withdrawal' | 'yield';

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
  readonly status: 'processed' | 'ignored' | 'failed';
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
