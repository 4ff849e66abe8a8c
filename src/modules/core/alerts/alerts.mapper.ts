import type { AlertEvent } from './alerts.types.js';
import { AlertEventData, AlertResponse } from './dto/alert.response.js';
import type { Alert } from './entities/alert.entity.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toAlertResponse(alert: Alert): AlertResponse {
  const { subjectType: type, subjectId: id, userId, txHash } = alert;
  return toResponse(AlertResponse, alert, { subject: { type, id, userId, txHash } });
}

export function toAlertEventData(event: AlertEvent): AlertEventData {
  return toResponse(AlertEventData, event, { id: event.alertId });
}
