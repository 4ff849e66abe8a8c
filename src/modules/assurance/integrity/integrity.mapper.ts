import type { CurrentPause } from '../../funds/withdrawals/withdrawal-pauses.service.js';
import type { Finding } from './domain/invariant.js';
import { IntegrityResponse, IntegrityRunResponse, InvariantResponse } from './dto/integrity.response.js';
import type { IntegrityRun } from './entities/integrity-run.entity.js';
import type { IntegrityCheck } from './invariants.repository.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toIntegrityResponse(check: IntegrityCheck, pause: CurrentPause | null): IntegrityResponse {
  return toResponse(IntegrityResponse, check, {
    status: check.verdict,
    laws: check.findings.map(toInvariantResponse),
    pause,
  });
}

export function toIntegrityRunResponse(run: IntegrityRun): IntegrityRunResponse {
  return toResponse(IntegrityRunResponse, run, { status: run.verdict });
}

function toInvariantResponse({ invariant, violations, violationCount }: Finding): InvariantResponse {
  return toResponse(InvariantResponse, invariant, {
    status: violationCount > 0 ? 'broken' : 'holds',
    breaks: violations,
    breakCount: violationCount,
  });
}
