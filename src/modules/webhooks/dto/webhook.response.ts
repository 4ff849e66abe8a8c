import { Flag } from '../../../http/openapi/fields.js';

export class WebhookReceiptView {
  @Flag({ description: 'Always true: it is kept and will be acted upon.' }) received!: boolean;
  @Flag({ description: 'It had been received before and changes nothing.' }) duplicate!: boolean;
}

export function webhookReceiptView(isNew: boolean): WebhookReceiptView {
  return { received: true, duplicate: !isNew };
}
