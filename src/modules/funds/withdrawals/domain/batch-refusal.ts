import type { Logger } from '@nestjs/common';
import { asDomainError } from '../../../../common/errors/database-error.js';
import { DomainError } from '../../../../common/errors/domain-error.js';

/** Why one withdrawal of several was refused. Logs an unexpected error, which the caller's response does not describe. */
export function toRefusal(error: unknown, log: Logger): DomainError {
  const refusal = error instanceof DomainError ? error : asDomainError(error);
  if (refusal) return refusal;
  log.error({ msg: 'one withdrawal of several could not be changed', err: error });
  return new DomainError('INTERNAL_SERVER_ERROR');
}
