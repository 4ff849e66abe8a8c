import { Choice, Count, Flag, Instant, Text, Uuid } from '../../../../http/openapi/fields.js';
import { WEBHOOK_EVENT_STATUSES, WEBHOOK_KINDS } from '../domain/webhook-event.js';

export class WebhookReceiptResponse {
  @Flag({ description: 'Always true: the event is stored and will be processed.' }) received!: boolean;
  @Flag({ description: 'The event was received before and changes nothing.' }) duplicate!: boolean;
}

export class WebhookEventResponse {
  @Uuid() id!: string;
  @Text({ example: 'crypto2b' }) provider!: string;
  @Choice(WEBHOOK_KINDS) kind!: string;
  @Choice(WEBHOOK_EVENT_STATUSES, {
    description:
      'ignored: it changes no record of this platform; failed: it is malformed or was refused, or twelve attempts failed',
    example: 'failed',
  })
  status!: string;
  @Text({ nullable: true, example: 'the body is not a deposit', description: 'of ignored and failed' })
  reason!: string | null;
  @Count({ description: 'since it was received or last replayed' }) attempts!: number;
  @Instant() receivedAt!: string;
  @Instant({ description: 'of received: the earliest time of the next attempt' }) dueAt!: string;
  @Instant({ nullable: true, description: 'null while its status is received' }) settledAt!: string | null;
}

export class WebhookEventDetailResponse extends WebhookEventResponse {
  @Text({
    description: 'identifies the event: an event of the same provider with the same key is a duplicate',
    example: 'deposit:1000001:Success:20',
  })
  eventKey!: string;
  @Text({ description: 'unchanged', example: '{"data":{"type":"Deposit"}}' }) body!: string;
}
