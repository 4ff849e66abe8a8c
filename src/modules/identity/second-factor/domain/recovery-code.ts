import { randomBytes } from 'node:crypto';
import type { FactorOwner } from '../factors.types.js';

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Six groups of four characters: 120 random bits. */
export function newRecoveryCode(): string {
  const characters = [...randomBytes(24)].map((byte) => BASE_32[byte % 32]).join('');
  return (characters.match(/.{4}/g) as string[]).join('-');
}

/** Codes of different owners have different hashes. Spaces, dashes and case do not matter. */
export function recoveryCodeText({ type, id }: FactorOwner, code: string): string {
  return `recovery code of ${type}:${id}:${code.replace(/[\s-]/g, '').toUpperCase()}`;
}
