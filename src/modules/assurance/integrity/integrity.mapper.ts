import type { CurrentPause } from '../../funds/withdrawals/withdrawal-pauses.service.js';
import type { Finding, ViolatedInvariant } from './domain/invariant.js';
import type {
  IntegrityResponse,
  IntegrityRunResponse,
  InvariantResponse,
  ResumedWithdrawalsResponse,
  ViolatedInvariantResponse,
  WithdrawalPauseResponse,
} from './dto/integrity.response.js';
import type { IntegrityRun } from './entities/integrity-run.entity.js';
import type { ResumedWithdrawals } from './integrity.service.js';
import type { IntegrityCheck } from './invariants.repository.js';

export function toIntegrityResponse(check: IntegrityCheck, pause: CurrentPause | null): IntegrityResponse {
  return {
    checkedAt: check.checkedAt.toISOString(),
    durationMs: check.durationMs,
    entries: check.entries,
    status: check.verdict,
    laws: check.findings.map(toInvariantResponse),
    pause: pause && toWithdrawalPauseResponse(pause),
  };
}

export function toIntegrityRunResponse(run: IntegrityRun): IntegrityRunResponse {
  return {
    id: run.id,
    checkedAt: run.checkedAt.toISOString(),
    durationMs: run.durationMs,
    entries: run.entries,
    status: run.verdict,
    broken: run.broken.map(toViolatedInvariantResponse),
    paused: run.paused,
    night: run.night,
    acknowledgedBy: run.acknowledgedBy,
  };
}

export function toWithdrawalPauseResponse({
  id,
  since,
  pausedBy,
  reason,
}: CurrentPause): WithdrawalPauseResponse {
  return { id, since: since.toISOString(), pausedBy, reason };
}

export function toResumedWithdrawalsResponse({
  ended,
  stillBroken,
}: ResumedWithdrawals): ResumedWithdrawalsResponse {
  return {
    ended: toWithdrawalPauseResponse(ended),
    stillBroken: stillBroken.map(toViolatedInvariantResponse),
  };
}

function toInvariantResponse({ invariant, violations, violationCount }: Finding): InvariantResponse {
  return {
    name: invariant.name,
    description: invariant.description,
    severity: invariant.severity,
    status: violationCount > 0 ? 'broken' : 'holds',
    breaks: violations.map(({ subject, userId, expected, actual, difference }) => ({
      subject,
      userId,
      expected,
      actual,
      difference,
    })),
    breakCount: violationCount,
  };
}

function toViolatedInvariantResponse({
  name,
  severity,
  breakCount,
}: ViolatedInvariant): ViolatedInvariantResponse {
  return { name, severity, breakCount };
}
