import type { ValidationOptions } from 'class-validator';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';

export interface RefusalContext {
  code: ErrorCode;
}

/** Options of a validator whose failure has a code of its own instead of VALIDATION_ERROR. */
export function refusedAs(code: ErrorCode | undefined, message?: string): ValidationOptions {
  return {
    ...(message === undefined ? {} : { message }),
    ...(code === undefined ? {} : { context: { code } satisfies RefusalContext }),
  };
}
