import { ERROR_CATALOGUE, type CatalogueEntry, type ErrorCode } from './error-catalogue.js';

export interface FieldProblem {
  field: string;
  message: string;
}

export type ErrorDetails = Record<string, unknown> | FieldProblem[] | string;

/** An error with a code of the catalogue. The exception filter renders it as the response. */
export class DomainError extends Error {
  /** HTTP status: that of the catalogue, unless the thrower gives another one. */
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

  /** Sent in the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;

  /** Whether the service has failed: its log and its service levels count the answer. */
  get isFailure(): boolean {
    const entry: CatalogueEntry = ERROR_CATALOGUE[this.code];
    return this.status >= 500 && entry.isFailure !== false;
  }
}

/** Throws a DomainError: `fail('INSUFFICIENT_BALANCE', { available, requested, shortfall })`. */
export function fail(
  code: ErrorCode,
  details?: ErrorDetails,
  options?: { message?: string; status?: number; retryAfterSeconds?: number },
): never {
  throw new DomainError(code, details, options);
}
