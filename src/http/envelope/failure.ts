import type { DomainError } from '../../kernel/errors/domain-error.js';
import type { Trace } from '../tracing/trace.js';

/** The body of every refusal. */
export function failureOf(error: DomainError, at: Date, trace: Trace | undefined): object {
  return {
    success: false,
    error: {
      code: error.code,
      message: error.message,
      ...(error.details ? { details: error.details } : {}),
    },
    timestamp: at.toISOString(),
    ...trace,
    ...(trace ? { trace_id: trace.traceId } : {}),
  };
}
