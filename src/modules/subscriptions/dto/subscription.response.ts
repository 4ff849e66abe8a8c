import { Choice, Count, Flag, Instant, Text, TextList, Uuid } from '../../../http/openapi/fields.js';
import { DISABLED_REASONS } from '../disabled-note.js';
import { FAILURES } from '../receiver-call.js';
import { DELIVERY_STATUSES, type Delivery, type Subscription } from '../subscriptions.queries.js';
import type { WithSecret } from '../subscriptions.service.js';

export class WebhookResponse {
  @Uuid() id!: string;
  @Text({ example: 'https://shop.example.com/hooks' }) url!: string;
  @Text({ nullable: true, example: 'Orders of the shop' }) description!: string | null;
  @TextList({ example: ['deposit.completed', 'withdrawal.completed'] }) events!: readonly string[];
  @Choice(['active', 'disabled'], { description: 'disabled: nothing is written for it and nothing sent' })
  status!: string;
  @Choice(DISABLED_REASONS, {
    nullable: true,
    description: 'user: by its owner; gone: it has answered 410; failing: for three days nothing arrived',
  })
  disabledReason!: string | null;
  @Instant({ nullable: true, description: 'the first failure since something last arrived' })
  failingSince!: string | null;
  @Instant({ nullable: true, description: 'until then the secret before the last rotation signs, too' })
  previousSecretUntil!: string | null;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
}

export function toWebhookResponse(row: Subscription): WebhookResponse {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    status: row.status,
    disabledReason: row.disabledReason,
    failingSince: row.failingSince?.toISOString() ?? null,
    previousSecretUntil: row.previousUntil?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export class WebhookWithSecretResponse extends WebhookResponse {
  @Text({
    description: 'Verifies the signatures. It is told this once: keep it.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwZ3a1b2c3d4e=',
  })
  secret!: string;
}

export function toWebhookWithSecretResponse({ subscription, secret }: WithSecret): WebhookWithSecretResponse {
  return { ...toWebhookResponse(subscription), secret };
}

export class DeletedWebhookResponse {
  @Uuid() id!: string;
  @Flag({ description: 'Always true: its deliveries are gone, too.' }) deleted!: boolean;
}

export class DeliveryResponse {
  @Uuid({ description: 'header webhook-id, the same at every attempt' }) id!: string;
  @Text({ example: 'deposit.completed' }) event!: string;
  @Choice(DELIVERY_STATUSES, {
    description: 'delivered: answered with 2xx; dead: given up after ten attempts, or at 410',
  })
  status!: string;
  @Count({ description: 'so far, since it was made or last asked for again' }) attempts!: number;
  @Count({
    nullable: true,
    example: 204,
    description: 'HTTP status of the last answer; its body is not kept',
  })
  responseStatus!: number | null;
  @Choice(FAILURES, {
    nullable: true,
    description:
      'of the last attempt. status: answered, not with 2xx; timeout: not within 10 seconds; connection: none, or it ' +
      'broke; address-refused: the host leads to no address, or to one that is not public; unsent: the fault is ours',
  })
  failure!: string | null;
  @Count({ nullable: true, example: 87, description: 'milliseconds of the last attempt' })
  durationMs!: number | null;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) lastAttemptAt!: string | null;
  @Instant({ nullable: true, description: 'not before; null when none is to come' })
  nextAttemptAt!: string | null;
}

export function toDeliveryResponse(row: Delivery): DeliveryResponse {
  return {
    id: row.id,
    event: row.event,
    status: row.status,
    attempts: row.attempts,
    responseStatus: row.responseStatus,
    failure: row.failure,
    durationMs: row.durationMs,
    createdAt: row.createdAt.toISOString(),
    lastAttemptAt: row.attemptedAt?.toISOString() ?? null,
    nextAttemptAt: row.status === 'pending' ? row.dueAt.toISOString() : null,
  };
}
