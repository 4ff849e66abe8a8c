import { ERROR_CATALOGUE, type CatalogueEntry, type ErrorCode } from './error-catalogue.js';

export interface FieldProblem {
  field: string;
  message: string;
}

export type ErrorDetails = Record<string, unknown> | FieldProblem[];

type Catalogue = typeof ERROR_CATALOGUE;

/** The names that the catalogue lists for the details of a code. */
type DetailNameOf<Code extends ErrorCode> = Code extends ErrorCode
  ? Catalogue[Code] extends { details: readonly (infer Name extends string)[] }
    ? Name
    : never
  : never;

/** The codes whose details can be a list of fields with their problems. */
type FieldErrorCode = {
  [Code in ErrorCode]: 'field' extends DetailNameOf<Code> ? Code : never;
}[ErrorCode];

/** The details of a code: a list of field problems, or the names that the catalogue lists, each of which may be absent. */
export type DetailsOf<Code extends ErrorCode> =
  | (Code extends FieldErrorCode ? FieldProblem[] : never)
  | RecordOf<Exclude<DetailNameOf<Code>, keyof FieldProblem>>;

type RecordOf<Name extends string> = [Name] extends [never] ? never : Partial<Record<Name, unknown>>;

/** An error with a code of the catalogue. The exception filter renders it as the response. */
export class DomainError extends Error {
  /** HTTP status: that of the catalogue, unless the thrower gives another one. */
  readonly status: number;
  /** Sent in the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    readonly details?: ErrorDetails,
    options: { message?: string; status?: number; retryAfterSeconds?: number } = {},
  ) {
    const entry: CatalogueEntry = ERROR_CATALOGUE[code];
    super(options.message ?? entry.message);
    this.name = 'DomainError';
    this.status = options.status ?? entry.status;
    this.retryAfterSeconds = options.retryAfterSeconds ?? entry.retryAfterSeconds;
  }

  /** True if the service has failed. Such an error is logged as an error and counts against the service levels. */
  get isFailure(): boolean {
    const entry: CatalogueEntry = ERROR_CATALOGUE[this.code];
    return this.status >= 500 && entry.isFailure !== false;
  }
}

/** Throws a DomainError: `fail('INSUFFICIENT_BALANCE', { available, requested, shortfall })`. */
export function fail<Code extends ErrorCode>(
  code: Code,
  details?: DetailsOf<Code>,
  options?: { message?: string; status?: number; retryAfterSeconds?: number },
): never {
  throw new DomainError(code, details, options);
}
