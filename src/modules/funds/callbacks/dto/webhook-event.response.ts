import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { WEBHOOK_EVENT_STATUSES, WEBHOOK_KINDS } from '../domain/webhook-event.js';

export class WebhookReceiptResponse {
  @BooleanField({ description: 'Always true: the event is stored and will be processed.' })
  received!: boolean;
  @BooleanField({ description: 'The event was received before and changes nothing.' }) duplicate!: boolean;
}

export class WebhookEventResponse {
  @UuidField() id!: string;
  @StringField({ example: 'crypto2b' }) provider!: string;
  @EnumField(WEBHOOK_KINDS) kind!: string;
  @EnumField(WEBHOOK_EVENT_STATUSES, {
    description:
      'ignored: it changes no record of this platform; failed: it is malformed or was refused, or twelve attempts failed',
    example: 'failed',
  })
  status!: string;
  @StringField({ nullable: true, example: 'the body is not a deposit', description: 'of ignored and failed' })
  reason!: string | null;
  @IntegerField({ description: 'since it was received or last replayed' }) attempts!: number;
  @InstantField() receivedAt!: string;
  @InstantField({ description: 'of received: the earliest time of the next attempt' }) dueAt!: string;
  @InstantField({ nullable: true, description: 'null while its status is received' }) settledAt!:
    string | null;
}

export class WebhookEventDetailResponse extends WebhookEventResponse {
  @StringField({
    description: 'identifies the event: an event of the same provider with the same key is a duplicate',
    example: 'deposit:1000001:Success:20',
  })
  eventKey!: string;
  @StringField({ description: 'unchanged', example: '{"data":{"type":"Deposit"}}' }) body!: string;
}
