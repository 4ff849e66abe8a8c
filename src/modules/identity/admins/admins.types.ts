import type { PlatformEvent } from '../../../events/domain-events.js';

/** How another admin has set the first password of an admin. */
export interface PasswordOrigin {
  readonly givenBy: string;
  /** Domain time. */
  readonly givenAt: Date;
  /** True until the owner has chosen another password. */
  readonly isUnchanged: boolean;
}

/** By the e-mail addresses of the admins whose first password another admin has set. */
export type PasswordOrigins = ReadonlyMap<string, PasswordOrigin>;

/**
 * Topic `admin`: changes of the password or the second factors of an admin, by another admin or themselves, and wrong answers of
 * second factors. Emitted in the transaction that stores the change or the failure.
 */
export interface AdminEvent extends PlatformEvent {
  readonly name:
    | 'admin.password-set'
    | 'admin.password-changed'
    | 'admin.factor-added'
    | 'admin.factor-removed'
    | 'admin.factor-reset'
    | 'admin.recovery-code-used'
    | 'admin.second-factor-failed';
  /** The e-mail address of the admin. */
  readonly email: string;
  /** The e-mail address of the admin who has made or requested the change, or has given the wrong answer. */
  readonly setBy: string;
  /** The e-mail address of the second admin; null with FOUR_EYES=off, and for an own password or factor. */
  readonly approvedBy: string | null;
}
