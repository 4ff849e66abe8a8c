import { DAY_MS } from '../../../common/durations.js';
import { fail } from '../../../common/errors/domain-error.js';
import type { PasswordOrigins } from '../../admins/admins.types.js';

/** How long an admin who has set the password of another one cannot be the second person of that one. */
const TRUSTED_AFTER_MS = 30 * DAY_MS;

const MESSAGES = {
  'same-person': 'Another admin has to decide this: you have requested or done a part of it.',
  'first-password':
    'Another admin has set your password. Change it by POST /api/admin/auth/register before you decide anything.',
  'password-set-by-other':
    'One of you has set the password of the other within the last 30 days. A third admin has to decide this.',
} as const;

/**
 * Throws FOUR_EYES_REQUIRED unless `second` is certainly another person than `first`, who requested the change or did the first
 * step, and decides with a password that nobody else has chosen. `first` is null if no admin did a first step.
 */
export function requireSecondPerson(
  origins: PasswordOrigins,
  first: string | null,
  second: string,
  now: Date,
): void {
  if (first === second) failFourEyes('same-person');
  if (origins.get(second)?.isUnchanged) failFourEyes('first-password');
  const hasGiven = (giver: string, receiver: string) => {
    const origin = origins.get(receiver);
    return origin?.givenBy === giver && now.getTime() - origin.givenAt.getTime() < TRUSTED_AFTER_MS;
  };
  if (first !== null && (hasGiven(first, second) || hasGiven(second, first)))
    failFourEyes('password-set-by-other');
}

function failFourEyes(reason: keyof typeof MESSAGES): never {
  fail('FOUR_EYES_REQUIRED', { reason }, { message: MESSAGES[reason] });
}
