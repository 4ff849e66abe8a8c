import type { Rows } from '../../../http/request/pagination.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { DeliveryResponse, WebhookResponse, type WebhookWithSecretResponse } from './dto/webhook.response.js';
import type { WebhookDelivery } from './entities/webhook-delivery.entity.js';
import type { WebhookSubscription } from './entities/webhook-subscription.entity.js';
import type { SubscriptionWithSecret } from './webhooks.service.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toWebhookResponse(subscription: WebhookSubscription): WebhookResponse {
  return toResponse(WebhookResponse, subscription, { previousSecretUntil: subscription.previousUntil });
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
  return toResponse(DeliveryResponse, delivery, {
    lastAttemptAt: delivery.attemptedAt,
    nextAttemptAt: delivery.status === 'pending' ? delivery.dueAt : null,
  });
}
