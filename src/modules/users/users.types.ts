/** Only an active user can sign in and use the platform. */
export const USER_STATUSES = ['active', 'suspended', 'inactive'] as const;

export type UserStatus = (typeof USER_STATUSES)[number];

/** What can start a security hold. The constraint `platform_user_hold_reason` lists the same values. */
export const HOLD_REASONS = ['new-identity', 'email-changed'] as const;

export type HoldReason = (typeof HOLD_REASONS)[number];

/** While a hold lasts, nothing can lead money out of the account: see `SecurityHoldsService`. */
export interface SecurityHold {
  /** Domain time. */
  readonly until: Date;
  readonly reason: HoldReason;
}
