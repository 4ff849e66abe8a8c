import { throwError } from '../../../../common/errors/domain-error.js';
import type { User } from '../entities/user.entity.js';
import type { SecurityHold } from '../users.types.js';

export type HoldColumns = Pick<User, 'holdUntil' | 'holdReason'>;

/** Null if the account has never had a hold, or its hold has ended at `now`. */
export function currentHold({ holdUntil, holdReason }: HoldColumns, now: Date): SecurityHold | null {
  return holdUntil && holdReason && holdUntil > now ? { until: holdUntil, reason: holdReason } : null;
}

export function failSecurityHold({ until, reason }: SecurityHold): never {
  throwError('SECURITY_HOLD', { until: until.toISOString(), reason });
}
