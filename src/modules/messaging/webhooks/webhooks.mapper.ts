import { DeliveryResponse, WebhookResponse, type WebhookWithSecretResponse } from './dto/webhook.response.js';
import type { WebhookDelivery } from './entities/webhook-delivery.entity.js';
import type { WebhookSubscription } from './entities/webhook-subscription.entity.js';
import type { SubscriptionWithSecret } from './webhooks.service.js';
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

export function toDeliveryResponse(delivery: WebhookDelivery): DeliveryResponse {
  return toResponse(DeliveryResponse, delivery, {
    lastAttemptAt: delivery.attemptedAt,
    nextAttemptAt: delivery.status === 'pending' ? delivery.dueAt : null,
  });
}
