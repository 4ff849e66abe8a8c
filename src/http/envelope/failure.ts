import type { Response } from 'express';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { currentTrace } from '../tracing/trace.js';

/** Answers a refusal in the envelope (part 1). */
export function answerFailure(response: Response, error: DomainError, at: Date): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  const trace = currentTrace();
  response.type('json'); // a route of another type has said so already
  response.status(error.status).json({
    success: false,
    error: {
      code: error.code,
      message: error.message,
      ...(error.details ? { details: error.details } : {}),
    },
    timestamp: at.toISOString(),
    ...trace,
    ...(trace ? { trace_id: trace.traceId } : {}),
  });
}
