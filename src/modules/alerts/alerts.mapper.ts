import type { Rows } from '../../http/request/pagination.js';
import { EnvelopedResponse, pagedResponse } from '../../http/response/enveloped-response.js';
import type { AlertEvent } from './alert.events.js';
import type { AlertEventData, AlertResponse } from './dto/alert.response.js';
import type { Alert } from './entities/alert.entity.js';

export function toAlertPage(
  query: { page: number; limit: number },
  { rows, total }: Rows<Alert>,
): EnvelopedResponse<AlertResponse[]> {
  return pagedResponse(rows.map(toAlertResponse), query, total);
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
