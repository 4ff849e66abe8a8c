import type { Rows } from '../../../http/request/pagination.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import type { AlertEvent } from './alert.events.js';
import { AlertEventData, AlertResponse } from './dto/alert.response.js';
import type { Alert } from './entities/alert.entity.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toAlertPage(
  query: PageRequest,
  { rows, ...page }: Rows<Alert>,
): EnvelopedResponse<AlertResponse[]> {
  return pagedResponse(rows.map(toAlertResponse), query, page);
}

export function toAlertResponse(alert: Alert): AlertResponse {
  const { subjectType: type, subjectId: id, userId, txHash } = alert;
  return toResponse(AlertResponse, alert, { subject: { type, id, userId, txHash } });
}

export function toAlertEventData(event: AlertEvent): AlertEventData {
  return toResponse(AlertEventData, event, { id: event.alertId });
}
