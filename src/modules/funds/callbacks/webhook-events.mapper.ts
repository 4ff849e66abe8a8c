import type { Rows } from '../../../http/request/pagination.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import type {
  WebhookEventDetailResponse,
  WebhookEventResponse,
  WebhookReceiptResponse,
} from './dto/webhook-event.response.js';
import type { WebhookEvent } from './entities/webhook-event.entity.js';
import type { WebhookEventSummary } from './webhook-events.repository.js';
import type { PageRequest } from '../../../lists/list-page.js';

export function toWebhookReceiptResponse(isNew: boolean): WebhookReceiptResponse {
  return { received: true, duplicate: !isNew };
}

export function toWebhookEventsPage(
  query: PageRequest,
  { rows, ...count }: Rows<WebhookEventSummary>,
): EnvelopedResponse<WebhookEventResponse[]> {
  return pagedResponse(rows.map(toWebhookEventResponse), query, count);
}

function toWebhookEventResponse(event: WebhookEventSummary): WebhookEventResponse {
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

export function toWebhookEventDetailResponse(event: WebhookEvent): WebhookEventDetailResponse {
  return { ...toWebhookEventResponse(event), eventKey: event.eventKey, body: event.body };
}
