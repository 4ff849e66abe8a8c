import type { JWTPayload } from 'jose';
import { throwError } from '../../../../common/errors/domain-error.js';
import { storableText } from '../../../../common/storable-text.js';
import { isWrittenByUsers } from '../../../../config/identity-provider-settings.js';

const MAX_NAME_LENGTH = 200;
/** The length of the claim `sub` that OpenID Connect allows. */
const MAX_SUBJECT_LENGTH = 255;
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

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

/**
 * Whether the first of the named claims that the token has is the value true or the text "true". A token without them is
 * accepted if the issuer verifies every address (`isTrusted`).
 */
export function isConfirmed(claims: JWTPayload, names: readonly string[], isTrusted = false): boolean {
  const value = firstClaim(claims, names);
  return value === undefined ? isTrusted : value === true || value === 'true';
}

/** The names of claims that users cannot write. */
export function writtenByProvider(names: readonly string[]): string[] {
  return names.filter((name) => !isWrittenByUsers(name));
}

/** The first of the named claims with a text that can be stored; for `given_name+family_name` the texts of both. Null without one. */
export function nameOf(claims: JWTPayload, names: readonly string[]): string | null {
  for (const name of names) {
    const text = storableText(firstClaim(claims, [name]) ?? joinedClaims(claims, name), MAX_NAME_LENGTH);
    if (text !== null) return text;
  }
  return null;
}

function joinedClaims(claims: JWTPayload, names: string): string {
  const values = names.split('+').map((name) => firstClaim(claims, [name]));
  return values.filter((value) => typeof value === 'string' && value !== '').join(' ');
}

/**
 * Throws SUPABASE_JWT_INVALID for a token that was made for another application: its claim `aud` or, without that claim, `azp`
 * has to name one of ours.
 */
export function requireRecipient(
  { aud, azp }: JWTPayload,
  audiences: readonly string[],
  authorizedParties: readonly string[],
): void {
  const isListed = (list: readonly string[], value: unknown) => (list as readonly unknown[]).includes(value);
  if (aud === undefined && authorizedParties.length > 0) {
    if (!isListed(authorizedParties, azp)) throwError('SUPABASE_JWT_INVALID', { reason: 'claim azp' });
  } else if (![aud].flat().some((value) => isListed(audiences, value)))
    throwError('SUPABASE_JWT_INVALID', { reason: 'claim aud' });
}

/** The claim `sub`; null without it. Throws SUPABASE_JWT_INVALID for a claim that is neither a number nor a text of 1 to 255 characters. */
export function subjectOf({ sub }: { readonly sub?: unknown }): string | null {
  if (sub === undefined || sub === null || sub === '') return null;
  const subject = typeof sub === 'number' ? String(sub) : sub;
  const isStorable =
    typeof subject === 'string' && subject.length <= MAX_SUBJECT_LENGTH && !UNSTORABLE.test(subject);
  return isStorable ? subject : throwError('SUPABASE_JWT_INVALID', { reason: 'claim sub' });
}

/** Whether the claim `acr`, or one of the list `amr`, has one of the values. Neither can be written by users (OpenID Connect). */
export function hasAuthenticationContext({ acr, amr }: JWTPayload, values: readonly string[]): boolean {
  return [acr, amr].flat().some((value) => (values as readonly unknown[]).includes(value));
}

function ownValue(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
