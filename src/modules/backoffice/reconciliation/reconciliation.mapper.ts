import { toAlertResponse } from '../../core/alerts/alerts.mapper.js';
import {
  type BookedSideResponse,
  ReconciliationBreakResponse,
  ReconciliationLineResponse,
  ReconciliationResponse,
  type StatedSideResponse,
} from './dto/reconciliation.response.js';
import type { ReconciliationLine } from './entities/reconciliation.entity.js';
import type { ReconciliationDetails } from './reconciliation.types.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toReconciliationResponse(row: ReconciliationDetails): ReconciliationResponse {
  return toResponse(ReconciliationResponse, row, {
    status: statusOf(row),
    sums: row.sums.map((sum) => ({ ...sum, difference: sum.there.minus(sum.here) })),
    alerts: row.alerts.map(toAlertResponse),
  });
}

/** Alerts that were open at the comparison count like breaks. */
function statusOf(row: ReconciliationDetails): 'matched' | 'open' | 'resolved' {
  if (row.missingHere + row.missingThere + row.differing + row.alerts.length === 0) return 'matched';
  const hasOpenAlert = row.alerts.some(({ resolvedAt }) => resolvedAt === null);
  return row.unresolved > 0 || hasOpenAlert ? 'open' : 'resolved';
}

export function toReconciliationLineResponse(row: ReconciliationLine): ReconciliationLineResponse {
  return toResponse(ReconciliationLineResponse, row, {
    there: statedSide(row),
    here: bookedSide(row),
    break: row.status && toResponse(ReconciliationBreakResponse, row, { status: row.status }),
  });
}

function statedSide(row: ReconciliationLine): StatedSideResponse | null {
  const { thereReference, thereTxHash, thereNetwork, thereAmount, thereStatus, thereAt } = row;
  if (thereReference === null || !thereAmount || !thereStatus || !thereAt) return null;
  return {
    reference: thereReference,
    txHash: thereTxHash,
    network: thereNetwork,
    amount: thereAmount.toExact(),
    status: thereStatus,
    at: thereAt.toISOString(),
  };
}

function bookedSide(row: ReconciliationLine): BookedSideResponse | null {
  const { hereType, hereIds, hereTxHash, hereNetwork, hereAmount, hereStatus, hereAt } = row;
  if (!hereType || !hereIds || !hereAmount || !hereStatus || !hereAt) return null;
  return {
    type: hereType,
    ids: [...hereIds],
    txHash: hereTxHash,
    network: hereNetwork,
    amount: hereAmount.toExact(),
    status: hereStatus,
    at: hereAt.toISOString(),
  };
}
