import type { DomainEvent } from '../../../events/domain-events.js';

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

/**
 * Topic `user`: emitted in the transaction that creates a user or changes the status, except for an erasure. The account of an admin does
 * not count as a user; `user.created` is emitted when its owner signs in as a user.
 */
export interface UserEvent extends DomainEvent {
  readonly name: 'user.created' | 'user.status-changed';
  readonly status: UserStatus;
  /** Of created: `sign-in` if the user has signed in for the first time. Null in other events. */
  readonly createdBy: 'sign-in' | 'admin' | null;
}

export const SECOND_FACTORS = ['passkey', 'totp', 'recovery-codes'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** Topic `security`: changes that affect the security of a user's account. */
export interface SecurityEvent extends DomainEvent {
  readonly name:
    | 'security.new-device'
    | 'security.new-identity'
    | 'security.status-changed'
    | 'security.wallet-linked'
    | 'security.wallet-unlinked'
    | 'security.wallet-suspended'
    | 'security.email-off'
    | 'security.factor-added'
    | 'security.factor-removed'
    | 'security.recovery-code-used'
    | 'security.second-factor-failed'
    | 'security.factors-reset'
    | 'security.account-locked'
    | 'security.account-unlocked'
    | 'security.tier-changed'
    | 'security.webhook-created'
    | 'security.webhook-changed'
    | 'security.webhook-removed'
    | 'security.webhook-disabled';
  /** Of new-device: the header User-Agent, shortened; null if the device sent none. */
  readonly device?: string | null;
  /** Of new-device: the prefix of the network address, such as 203.0.113.0/24. */
  readonly network?: string;
  /** Of new-device: the user has signed in with the device before, but not from this network. */
  readonly isKnownDevice?: boolean;
  /** Of new-identity: the end of the security hold; null without a hold. */
  readonly holdUntil?: Date | null;
  /** Of account-locked. */
  readonly lockedBy?: LockOrigin;
  /** Of status-changed: the new status, and the admin's reason for it; the reason also of account-locked by an admin. */
  readonly status?: UserStatus;
  readonly reason?: string | null;
  /** Of tier-changed: the name of the new tier of limits. */
  readonly tier?: string;
  /** Of the events of wallets: the address of the wallet. */
  readonly wallet?: string;
  /** Of factor-added and factor-removed. */
  readonly factor?: SecondFactor;
  /** Of the events of webhooks; after a change of the URL the new one. */
  readonly webhookUrl?: string;
}

/** Topic `email`: an admin has changed the e-mail address of an account. */
export interface EmailChangedEvent extends DomainEvent {
  readonly name: 'email.changed';
  readonly from: string;
  readonly to: string;
  /** The addresses of the wallets that the change has suspended. */
  readonly suspendedWallets: readonly string[];
  /** The end of the security hold that begins; null without one. */
  readonly holdUntil: Date | null;
  /** The API keys that the change has revoked. */
  readonly revokedKeys: readonly { readonly name: string; readonly prefix: string }[];
  /** The webhooks that the change has disabled. */
  readonly disabledWebhooks: readonly { readonly url: string }[];
}
