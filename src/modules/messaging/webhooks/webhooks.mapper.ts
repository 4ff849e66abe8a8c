import type { Rows } from '../../../http/request/pagination.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import type { DeliveryResponse, WebhookResponse, WebhookWithSecretResponse } from './dto/webhook.response.js';
import type { WebhookDelivery } from './entities/webhook-delivery.entity.js';
import type { WebhookSubscription } from './entities/webhook-subscription.entity.js';
import type { SubscriptionWithSecret } from './webhooks.service.js';
import type { PageRequest } from '../../../lists/list-page.js';

export function toWebhookResponse(subscription: WebhookSubscription): WebhookResponse {
  return {
    id: subscription.id,
    url: subscription.url,
    description: subscription.description,
    events: subscription.events,
    status: subscription.status,
    disabledReason: subscription.disabledReason,
    failingSince: subscription.failingSince?.toISOString() ?? null,
    previousSecretUntil: subscription.previousUntil?.toISOString() ?? null,
    createdAt: subscription.createdAt.toISOString(),
    updatedAt: subscription.updatedAt.toISOString(),
  };
}

export function toWebhookWithSecretResponse({
  subscription,
  secret,
}: SubscriptionWithSecret): WebhookWithSecretResponse {
  return { ...toWebhookResponse(subscription), secret };
}

export function toDeliveriesPage(
  query: PageRequest,
  { rows, ...page }: Rows<WebhookDelivery>,
): EnvelopedResponse<DeliveryResponse[]> {
  return pagedResponse(rows.map(toDeliveryResponse), query, page);
}

export function toDeliveryResponse(delivery: WebhookDelivery): DeliveryResponse {
  return {
    id: delivery.id,
    event: delivery.event,
    status: delivery.status,
    attempts: delivery.attempts,
    responseStatus: delivery.responseStatus,
    failure: delivery.failure,
    durationMs: delivery.durationMs,
    createdAt: delivery.createdAt.toISOString(),
    lastAttemptAt: delivery.attemptedAt?.toISOString() ?? null,
    nextAttemptAt: delivery.status === 'pending' ? delivery.dueAt.toISOString() : null,
  };
}
