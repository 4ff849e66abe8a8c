import type { Money } from '../money.js';
import { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.js';
import type { CatalogueEntry, DetailsOfShape, FieldProblem } from './error-details.js';

type Catalogue = typeof ERROR_CATALOGUE;

/** The details of a code, in the form that the catalogue gives. */
export type DetailsOf<Code extends ErrorCode> = Code extends ErrorCode
  ? Catalogue[Code] extends { readonly details: infer Shape }
    ? DetailsOfShape<Shape>
    : never
  : never;

/** Optional for a code without details, or with details that may all be absent. */
type DetailsArgument<Code extends ErrorCode> =
  object extends DetailsOf<Code>
    ? DetailsOf<Code> | undefined
    : [DetailsOf<Code>] extends [never]
      ? undefined
      : DetailsOf<Code>;

interface ErrorOptions {
  message?: string;
  status?: number;
  retryAfterSeconds?: number;
}

/** An error with a code of the catalogue. The exception filter renders it as the response. */
export class DomainError extends Error {
  /** HTTP status: that of the catalogue, unless the thrower gives another one. */
  readonly status: number;
  readonly details: object | undefined;
  /** Sent in the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;

  /** A list of field problems becomes `details.fields`. */
  constructor(
    readonly code: ErrorCode,
    details?: object | readonly FieldProblem[],
    options: ErrorOptions = {},
  ) {
    const entry: CatalogueEntry = ERROR_CATALOGUE[code];
    super(options.message ?? entry.message);
    this.name = 'DomainError';
    this.details = Array.isArray(details) ? { fields: details as FieldProblem[] } : details;
    this.status = options.status ?? entry.status;
    this.retryAfterSeconds = options.retryAfterSeconds ?? entry.retryAfterSeconds;
  }

  /** True if the service has failed. Such an error is logged as an error and counts against the service levels. */
  get isFailure(): boolean {
    const entry: CatalogueEntry = ERROR_CATALOGUE[this.code];
    return this.status >= 500 && entry.isFailure !== false;
  }
}

/** Throws a DomainError: `throwError('INSUFFICIENT_BALANCE', { available, requested, shortfall })`. */
export function throwError<Code extends ErrorCode>(
  code: Code,
  ...[details, options]: undefined extends DetailsArgument<Code>
    ? [details?: DetailsArgument<Code>, options?: ErrorOptions]
    : [details: DetailsArgument<Code>, options?: ErrorOptions]
): never {
  throw new DomainError(code, details as object | undefined, options);
}

type LimitName = Exclude<keyof Catalogue['INVALID_AMOUNT']['details'], 'fields'>;

/** Throws INVALID_AMOUNT for the field `amount`, with the status 400 or, with the problem also as its message, 422. */
export function failAmount(
  problem: string,
  limits: Partial<Record<LimitName, Money>> = {},
  status?: 422,
): never {
  const given = Object.entries(limits) as [LimitName, Money][];
  const amounts: Partial<Record<LimitName, string>> = Object.fromEntries(
    given.map(([name, amount]) => [name, amount.toWire()]),
  );
  const fields = [{ field: 'amount', message: problem }];
  throwError('INVALID_AMOUNT', { fields, ...amounts }, status && { status, message: problem });
}
