import type { PlatformEvent } from '../../../events/domain-events.js';

/**
 * Topic `admin`: changes of the password or the second factors of an admin, by another admin or their own, and wrong answers of
 * second factors. Emitted in the transaction that stores it.
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
  /** The admin's e-mail address, as those of the two others. */
  readonly email: string;
  readonly setBy: string;
  /** Null with FOUR_EYES=off, and for an own password or factor. */
  readonly approvedBy: string | null;
}
