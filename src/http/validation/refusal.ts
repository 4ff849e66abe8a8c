import type { ValidationOptions } from 'class-validator';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';

export interface RefusalContext {
  code: ErrorCode;
  /** Where this endpoint answers another status than the catalogue's. */
  status?: number;
}

/** Options of a validator whose failure has a code of its own instead of VALIDATION_ERROR. */
export function refusedAs(code: ErrorCode | undefined, message: string, status?: number): ValidationOptions {
  if (!code) return { message };
  return { message, context: { code, ...(status === undefined ? {} : { status }) } satisfies RefusalContext };
}
