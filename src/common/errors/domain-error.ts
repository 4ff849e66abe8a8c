import { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.js';

export interface FieldProblem {
  field: string;
  message: string;
}

export type ErrorDetails = Record<string, unknown> | FieldProblem[] | string;

/** A refusal with a code of the catalogue. Thrown anywhere, rendered in one place. */
export class DomainError extends Error {
  /** HTTP status: the catalogue's, unless this endpoint's own table names another. */
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    readonly details?: ErrorDetails,
    options: { message?: string; status?: number; retryAfterSeconds?: number } = {},
  ) {
    super(options.message ?? ERROR_CATALOGUE[code].message);
    this.name = 'DomainError';
    this.status = options.status ?? ERROR_CATALOGUE[code].status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Answered in the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;
}

/** Refuses with a code: `fail('INSUFFICIENT_BALANCE', { available, requested, shortfall })`. */
export function fail(
  code: ErrorCode,
  details?: ErrorDetails,
  options?: { message?: string; status?: number; retryAfterSeconds?: number },
): never {
  throw new DomainError(code, details, options);
}
