import type { Alert } from './alerts.repository.js';
import type { AlertResponse } from './dto/alert.response.js';

export function toAlertResponse(alert: Alert): AlertResponse {
  return {
    id: alert.id,
    kind: alert.kind,
    subject: { ...alert.subject },
    message: alert.message,
    nextStep: alert.nextStep,
    createdAt: alert.createdAt.toISOString(),
    resolvedAt: alert.resolvedAt?.toISOString() ?? null,
    resolvedBy: alert.resolvedBy,
    reason: alert.reason,
  };
}
