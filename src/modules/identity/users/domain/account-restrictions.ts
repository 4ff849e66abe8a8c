import type { Tx } from '../../../../database/tx.js';
import { throwError } from '../../../../common/errors/domain-error.js';
import type { User } from '../entities/user.entity.js';
import type { AccountLock, SecurityHold, UserStatus } from '../users.types.js';

export interface LockColumns extends Pick<User, 'lockedAt' | 'lockedBy' | 'unlockBy'> {
  /** Read only where the lock is shown to people. */
  readonly lockReason?: string | null;
}

/** How long the link of a mail can lock the account. */
export const LOCK_LINK_DAYS = 7;

export const WITHOUT_LOCK: LockColumns = { lockedAt: null, lockedBy: null, unlockBy: null };

/** The second factors of users. Implemented by the module `second-factor`. */
export abstract class UserFactors {
  /** Whether the user has a second factor or recovery codes that were added after `since` (real time). */
  abstract hasFactorSince(tx: Tx, userId: string, since: Date): Promise<boolean>;
}

/** Null if the account is not locked. */
export function currentLock({ lockedAt, lockedBy, unlockBy, lockReason }: LockColumns): AccountLock | null {
  if (!lockedAt || !lockedBy || !unlockBy) return null;
  return { since: lockedAt, by: lockedBy, unlock: unlockBy, reason: lockReason ?? null };
}

/** Throws ACCOUNT_LOCKED. The account was read under a lock of its row, so that it is not locked before the transaction ends. */
export function requireUnlocked(account: LockColumns, message?: string): void {
  const lock = currentLock(account);
  if (lock) failLocked(lock, message);
}

export function failLocked({ since, by }: AccountLock, message?: string): never {
  throwError('ACCOUNT_LOCKED', { since: since.toISOString(), by }, message === undefined ? {} : { message });
}

export type HoldColumns = Pick<User, 'holdUntil' | 'holdReason'>;

/** Null if the account has never had a hold, or its hold has ended at `now`. */
export function currentHold({ holdUntil, holdReason }: HoldColumns, now: Date): SecurityHold | null {
  return holdUntil && holdReason && holdUntil > now ? { until: holdUntil, reason: holdReason } : null;
}

export function failSecurityHold({ until, reason }: SecurityHold): never {
  throwError('SECURITY_HOLD', { until: until.toISOString(), reason });
}

/** Throws FORBIDDEN; `status` is undefined for an unknown user. */
export function requireActiveStatus(status: UserStatus | undefined): void {
  if (status !== 'active') failNotActive();
}

/** Throws FORBIDDEN for an account whose status is not active. */
export function failNotActive(): never {
  throwError('FORBIDDEN', undefined, { message: 'This account is not active.' });
}
