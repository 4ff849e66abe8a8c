import { Choice, Count, Instant, Text, Uuid } from '../../../http/openapi/fields.js';
import { WEBHOOK_EVENT_STATUSES, WEBHOOK_KINDS } from '../webhook-event.js';
import type { StoredEvent, StoredEventWithBody } from '../webhook-events.queries.js';

export class WebhookEventResponse {
  @Uuid() id!: string;
  @Text({ example: 'crypto2b' }) provider!: string;
  @Choice(WEBHOOK_KINDS) kind!: string;
  @Choice(WEBHOOK_EVENT_STATUSES, {
    description: 'ignored: it concerns nothing here; failed: it makes no sense, or twelve attempts failed',
    example: 'failed',
  })
  status!: string;
  @Text({ nullable: true, example: 'the body is not a deposit', description: 'of ignored and failed' })
  reason!: string | null;
  @Count({ description: 'since it came or was last replayed' }) attempts!: number;
  @Instant() receivedAt!: string;
  @Instant({ description: 'of received: when it is acted upon next, at the earliest' }) dueAt!: string;
  @Instant({ nullable: true, description: 'null while it is received' }) settledAt!: string | null;
}

export function toWebhookEventResponse(event: StoredEvent): WebhookEventResponse {
  return {
    id: event.id,
    provider: event.provider,
    kind: event.kind,
    status: event.status,
    reason: event.reason,
    attempts: event.attempts,
    receivedAt: event.receivedAt.toISOString(),
    dueAt: event.dueAt.toISOString(),
    settledAt: event.settledAt?.toISOString() ?? null,
  };
}

export class WebhookEventDetailResponse extends WebhookEventResponse {
  @Text({
    description: 'what makes it one: the same key is kept once',
    example: 'deposit:1000001:Success:20',
  })
  eventKey!: string;
  @Text({ description: 'as it came', example: '{"data":{"type":"Deposit"}}' }) body!: string;
}

export function toWebhookEventDetailResponse(event: StoredEventWithBody): WebhookEventDetailResponse {
  return { ...toWebhookEventResponse(event), eventKey: event.eventKey, body: event.body };
}
