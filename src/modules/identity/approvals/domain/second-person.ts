import { DAY_MS } from '../../../../common/durations.js';
import { throwError } from '../../../../common/errors/domain-error.js';
import type { PasswordOrigins } from '../../admins/admins.types.js';

/** How long an admin who has set the password or reset the second factors of another admin may be able to sign in as the other. */
export const TRUSTED_AFTER_MS = 30 * DAY_MS;

const MESSAGES = {
  'not-approved': 'Another admin has to approve this first.',
  'same-person': 'Another admin has to decide this: you have requested or done a part of it.',
  'first-password':
    'Another admin has set your password. Change it by POST /api/admin/auth/register before you decide anything.',
  'password-set-by-other':
    'One of you has set the password or reset the second factors of the other within the last 30 days, or the same admin has done so for both. Another admin has to decide this.',
  'new-identity':
    'One of the two accounts has a security hold: another account of the identity provider has signed in to it. Another admin has to decide this.',
} as const;

/** Facts that decide whether two accounts of admins belong to two persons. */
export interface AccountFacts {
  readonly origins: PasswordOrigins;
  /** Resets of second factors of admins within the last 30 days: `by` has requested or approved the reset of `email`. */
  readonly resets: readonly { readonly email: string; readonly by: string }[];
  /** The e-mail addresses of accounts with a security hold. */
  readonly held: ReadonlySet<string>;
}

/**
 * Throws FOUR_EYES_REQUIRED unless `second` is certainly another person than `first`, who requested the change or did the first
 * step, and decides with a password that nobody else has chosen. `first` is null if no admin did a first step.
 */
export function requireSecondPerson(
  { origins, resets, held }: AccountFacts,
  first: string | null,
  second: string,
  now: Date,
): void {
  if (first === second) failFourEyes('same-person');
  if (origins.get(second)?.isUnchanged) failFourEyes('first-password');
  if (held.has(second) || (first !== null && held.has(first))) failFourEyes('new-identity');
  if (first !== null && mayBeOnePerson({ origins, resets }, first, second, now))
    failFourEyes('password-set-by-other');
}

type CredentialFacts = Pick<AccountFacts, 'origins' | 'resets'>;

/** True if one admin may know the credentials of both accounts. */
function mayBeOnePerson(facts: CredentialFacts, first: string, second: string, now: Date): boolean {
  const ofSecond = holdersOf(facts, second, now);
  return [...holdersOf(facts, first, now)].some((email) => ofSecond.has(email));
}

/**
 * The owner of an account, and the admins who may know its credentials, because they have set its first password or reset its second
 * factors. The set also has the admins who may know the credentials of an admin in the set.
 */
function holdersOf({ origins, resets }: CredentialFacts, email: string, now: Date): Set<string> {
  const holders = new Set([email]);
  // The loop also visits the addresses that it adds.
  for (const holder of holders) {
    for (const reset of resets) if (reset.email === holder) holders.add(reset.by);
    const origin = origins.get(holder);
    if (!origin) continue;
    const isRecent = now.getTime() - origin.givenAt.getTime() < TRUSTED_AFTER_MS;
    if (origin.isUnchanged || isRecent) holders.add(origin.givenBy);
  }
  return holders;
}

export function failFourEyes(reason: keyof typeof MESSAGES): never {
  throwError('FOUR_EYES_REQUIRED', { reason }, { message: MESSAGES[reason] });
}
