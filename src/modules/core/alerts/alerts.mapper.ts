import type { Rows } from '../../../http/request/pagination.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import type { AlertEvent } from './alert.events.js';
import type { AlertEventData, AlertResponse } from './dto/alert.response.js';
import type { Alert } from './entities/alert.entity.js';
import type { PageRequest } from '../../../lists/list-page.js';

export function toAlertPage(
  query: PageRequest,
  { rows, ...page }: Rows<Alert>,
): EnvelopedResponse<AlertResponse[]> {
  return pagedResponse(rows.map(toAlertResponse), query, page);
}

export function toAlertResponse(alert: Alert): AlertResponse {
  return {
    id: alert.id,
    kind: alert.kind,
    subject: {
      type: alert.subjectType,
      id: alert.subjectId,
      userId: alert.userId,
      txHash: alert.txHash,
    },
    message: alert.message,
    nextStep: alert.nextStep,
    createdAt: alert.createdAt.toISOString(),
    resolvedAt: alert.resolvedAt?.toISOString() ?? null,
    resolvedBy: alert.resolvedBy,
    reason: alert.reason,
  };
}

export function toAlertEventData({ alertId, ...event }: AlertEvent): AlertEventData {
  const { kind, subjectType, subjectId, message, nextStep, resolvedBy } = event;
  return { id: alertId, kind, subjectType, subjectId, message, nextStep, resolvedBy };
}
