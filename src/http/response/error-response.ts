import type { Response } from 'express';
import type { DomainError } from '../../common/errors/domain-error.js';
import { currentTrace, type Trace } from '../../observability/tracing/trace.js';

/** The envelope of every error. */
export function errorResponseOf(error: DomainError, at: Date, trace: Trace | undefined): object {
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

export function sendErrorResponse(response: Response, error: DomainError, at: Date): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  if (error.status >= 500) response.locals.isFailure = error.isFailure;
  // The route may have set another content type and `Cache-Control`.
  response.type('json').setHeader('Cache-Control', 'no-store');
  response.status(error.status).json(errorResponseOf(error, at, currentTrace()));
}
