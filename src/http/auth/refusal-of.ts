import { DomainError } from '../../common/errors/domain-error.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';

/** Errors of jsonwebtoken, by their names. */
const CODE_OF_ERROR: Record<string, ErrorCode> = {
  TokenExpiredError: 'TOKEN_EXPIRED',
  NotBeforeError: 'TOKEN_INVALID',
  JsonWebTokenError: 'TOKEN_INVALID',
};

/**
 * The refusal that follows from the failures of the strategies that were tried: that of the first token which the request
 * has, or TOKEN_MISSING. Throws a failure that says nothing about a token, such as an outage: that is no 401.
 */
export function refusalOf(failures: readonly unknown[]): DomainError {
  const refusals = failures.map(asRefusal);
  return refusals.find(({ code }) => code !== 'TOKEN_MISSING') ?? new DomainError('TOKEN_MISSING');
}

function asRefusal(failure: unknown): DomainError {
  if (failure instanceof DomainError && failure.status < 500) return failure;
  if (!(failure instanceof Error)) throw failure;
  if (failure.message === 'No auth token') return new DomainError('TOKEN_MISSING'); // of passport-jwt
  const code = CODE_OF_ERROR[failure.name];
  if (!code) throw failure;
  return new DomainError(code);
}
