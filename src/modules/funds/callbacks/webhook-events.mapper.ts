import type { WebhookReceiptResponse } from './dto/webhook-event.response.js';

export function toWebhookReceiptResponse(isNew: boolean): WebhookReceiptResponse {
  return { received: true, duplicate: !isNew };
}
