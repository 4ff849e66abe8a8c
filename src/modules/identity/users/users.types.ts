/** Only an active user can sign in and use the platform. */
export const USER_STATUSES = ['active', 'suspended', 'inactive'] as const;

export type UserStatus = (typeof USER_STATUSES)[number];

/** What can start a security hold. The constraint `platform_user_hold_reason` lists the same values. */
export const HOLD_REASONS = [
  'new-identity',
  'email-changed',
  'first-factor',
  'factor-removed',
  'recovery-code',
  'factor-reset',
] as const;

export type HoldReason = (typeof HOLD_REASONS)[number];

/** While a hold lasts, nothing can lead money out of the account: see `SecurityHoldsService`. */
export interface SecurityHold {
  /** Domain time. */
  readonly until: Date;
  readonly reason: HoldReason;
}

/** How an account was locked: by its user in a session, by the link in a mail, or by an admin. */
export const LOCK_ORIGINS = ['session', 'link', 'admin'] as const;
export type LockOrigin = (typeof LOCK_ORIGINS)[number];

/** Two admins can always unlock an account. With `step-up` its user can, too, with a second factor; with `admins` the user cannot. */
export const UNLOCKERS = ['step-up', 'admins'] as const;
export type Unlocker = (typeof UNLOCKERS)[number];

/** While a lock lasts, nothing can lead money out of the account, and its factors do not change: see `AccountLocksService`. */
export interface AccountLock {
  /** Domain time. */
  readonly since: Date;
  readonly by: LockOrigin;
  readonly unlock: Unlocker;
  /** Of the admin who has locked it; null for other locks, and where only the lock itself is read. */
  readonly reason: string | null;
}
