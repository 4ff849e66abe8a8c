import { createHash } from 'node:crypto';
import { StateMachine } from '../../../../common/state-machine.js';
import { textOf, fieldsOf, parseMessage } from '../../deposits/domain/crypto2b.js';

export const WEBHOOK_KINDS = ['deposit', 'withdrawal', 'yield'] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

export const WEBHOOK_EVENT_STATUSES = ['received', 'processed', 'ignored', 'failed'] as const;
export type WebhookEventStatus = (typeof WEBHOOK_EVENT_STATUSES)[number];

/** An admin can replay an event that had no effect. */
export const WEBHOOK_EVENT_STATES = new StateMachine<WebhookEventStatus, 'replay'>([
  { verb: 'replay', from: ['failed', 'ignored'], to: 'received' },
]);

export interface ProcessingResult {
  readonly status: Exclude<WebhookEventStatus, 'received'>;
  /** Null if the event was processed. */
  readonly reason: string | null;
}

export const PROCESSED: ProcessingResult = { status: 'processed', reason: null };
export const ignored = (reason: string): ProcessingResult => ({ status: 'ignored', reason });
export const failed = (reason: string): ProcessingResult => ({ status: 'failed', reason });

/**
 * The key by which a repeated callback is recognised, because the deposit provider's callbacks have no event id: the kind with
 * the transfer's id, status and confirmations, or with the digest of a body that lacks the transfer's id or status.
 */
export function depositProviderKey(kind: WebhookKind, body: string): string {
  const data = fieldsOf(fieldsOf(parseMessage(body)).data);
  const id = textOf(data.id);
  const status = textOf(data.status);
  if (!id || !status) return `${kind}:sha256:${createHash('sha256').update(body).digest('hex')}`;
  return `${kind}:${id}:${status}:${textOf(fieldsOf(data.transaction).confirmations) ?? '-'}`;
}
