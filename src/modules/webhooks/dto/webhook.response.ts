import { Flag } from '../../../http/openapi/fields.js';

export class WebhookReceiptResponse {
  @Flag({ description: 'Always true: it is kept and will be acted upon.' }) received!: boolean;
  @Flag({ description: 'It had been received before and changes nothing.' }) duplicate!: boolean;
}

export function toWebhookReceiptResponse(isNew: boolean): WebhookReceiptResponse {
  return { received: true, duplicate: !isNew };
}
