import { asDomainError } from '../../../../common/errors/database-error.js';
import { DomainError } from '../../../../common/errors/domain-error.js';

/** Thrown in place of the refusal of an approved change, whose transaction is rolled back. */
export class ChangeRefused extends Error {
  constructor(readonly refusal: DomainError) {
    super(refusal.message);
  }
}

/** Throws ChangeRefused if `makeChange` is refused. Faults of the service and of providers are thrown unchanged. */
export async function markRefusals<Result>(makeChange: () => Promise<Result>): Promise<Result> {
  try {
    return await makeChange();
  } catch (error) {
    const refusal = error instanceof DomainError ? error : asDomainError(error);
    throw refusal && refusal.status < 500 ? new ChangeRefused(refusal) : error;
  }
}
