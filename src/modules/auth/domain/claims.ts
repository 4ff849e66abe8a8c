import type { JWTPayload } from 'jose';
import { fail } from '../../../common/errors/domain-error.js';

/** Of the claim `sub` (OpenID Connect). */
const MAX_SUBJECT_LENGTH = 255;
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

/** Claims under `user_metadata`, with or without a namespace. Some providers let users write them. */
const WRITTEN_BY_USERS = /(^|[./])user_metadata(\.|$)/;

/**
 * The value of the first of the named claims that the token has. A name is tried whole first, because names can be URLs with
 * dots, then as a path of claims that are separated by dots.
 */
export function firstClaim(claims: JWTPayload, names: readonly string[]): unknown {
  for (const name of names) {
    const value = ownValue(claims, name) ?? name.split('.').reduce<unknown>(ownValue, claims);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** True for the value true and the text "true" of the first of the named claims that the token has. */
export function isConfirmed(claims: JWTPayload, names: readonly string[]): boolean {
  const value = firstClaim(claims, names);
  return value === true || value === 'true';
}

/** The names of claims that users cannot write. */
export function writtenByProvider(names: readonly string[]): string[] {
  return names.filter((name) => !WRITTEN_BY_USERS.test(name));
}

/** The claim `sub`; null without it. Throws SUPABASE_JWT_INVALID for one that is neither a number nor a text of 1 to 255 characters. */
export function subjectOf({ sub }: { readonly sub?: unknown }): string | null {
  if (sub === undefined || sub === null || sub === '') return null;
  const subject = typeof sub === 'number' ? String(sub) : sub;
  const isStorable =
    typeof subject === 'string' && subject.length <= MAX_SUBJECT_LENGTH && !UNSTORABLE.test(subject);
  return isStorable ? subject : fail('SUPABASE_JWT_INVALID', { reason: 'claim sub' });
}

function ownValue(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
