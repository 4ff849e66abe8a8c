import { toAlertResponse } from '../../core/alerts/alerts.mapper.js';
import type {
  BookedSideResponse,
  ReconciliationBreakResponse,
  ReconciliationLineResponse,
  ReconciliationResponse,
  StatedSideResponse,
} from './dto/reconciliation.response.js';
import type { ReconciliationLine } from './entities/reconciliation-line.entity.js';
import type { ReconciliationDetails } from './reconciliation.types.js';

export function toReconciliationResponse(row: ReconciliationDetails): ReconciliationResponse {
  return {
    id: row.id,
    source: row.source,
    format: row.format,
    from: row.from,
    to: row.to,
    by: row.by,
    at: row.at.toISOString(),
    status: statusOf(row),
    lines: row.lines,
    matched: row.matched,
    missingHere: row.missingHere,
    missingThere: row.missingThere,
    differing: row.differing,
    unreadable: row.unreadable,
    chainUnread: row.chainUnread,
    unresolved: row.unresolved,
    sums: row.sums.map(({ currency, direction, there, here }) => ({
      currency,
      direction,
      there: there.toExact(),
      here: here.toExact(),
      difference: there.minus(here).toExact(),
    })),
    alerts: row.alerts.map(toAlertResponse),
  };
}

/** Alerts that were open at the comparison count like breaks. */
function statusOf(row: ReconciliationDetails): 'matched' | 'open' | 'resolved' {
  if (row.missingHere + row.missingThere + row.differing + row.alerts.length === 0) return 'matched';
  const hasOpenAlert = row.alerts.some(({ resolvedAt }) => resolvedAt === null);
  return row.unresolved > 0 || hasOpenAlert ? 'open' : 'resolved';
}

export function toReconciliationLineResponse(row: ReconciliationLine): ReconciliationLineResponse {
  return {
    id: row.id,
    outcome: row.outcome,
    differs: [...row.differs],
    direction: row.direction,
    currency: row.currency,
    line: row.line,
    duplicateOf: row.duplicateOf,
    there: statedSide(row),
    here: bookedSide(row),
    difference: row.difference.toExact(),
    dust: row.dust.toExact(),
    chainVerdict: row.chainVerdict,
    chainAmount: row.chainAmount?.toExact() ?? null,
    break: toBreakResponse(row),
  };
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

function toBreakResponse(row: ReconciliationLine): ReconciliationBreakResponse | null {
  if (row.status === null) return null;
  return {
    status: row.status,
    owner: row.owner,
    resolution: row.resolution,
    note: row.note,
    proposedBy: row.proposedBy,
    proposedAt: row.proposedAt?.toISOString() ?? null,
    resolvedBy: row.resolvedBy,
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
  };
}
