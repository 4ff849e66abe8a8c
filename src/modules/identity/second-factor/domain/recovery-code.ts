import type { FactorOwner } from '../factors.types.js';

/** Codes of different owners have different hashes. Spaces, dashes and case do not matter. */
export function recoveryCodeText({ type, id }: FactorOwner, code: string): string {
  return `recovery code of ${type}:${id}:${code.replace(/[\s-]/g, '').toUpperCase()}`;
}
