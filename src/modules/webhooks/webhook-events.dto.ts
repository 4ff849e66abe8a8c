import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import { ChoiceInput, DateInput, FilterInput, PatternInput } from '../../http/validation/inputs.js';
import {
  WEBHOOK_EVENT_STATUSES,
  WEBHOOK_KINDS,
  type WebhookEventStatus,
  type WebhookKind,
} from './webhook-event.js';

export class WebhookEventsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(WEBHOOK_EVENT_STATUSES, { description: 'failed: what was given up' })
  status?: WebhookEventStatus;

  @PatternInput(/^[a-z0-9-]{1,40}$/, 'must be a name of a provider', { optional: true, example: 'crypto2b' })
  provider?: string;

  @ChoiceInput(WEBHOOK_KINDS, { optional: true })
  kind?: WebhookKind;

  @DateInput({
    optional: true,
    description: 'received at this instant or later; a date alone is its first instant',
  })
  receivedAfter?: string;
}
