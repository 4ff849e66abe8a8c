import type { PlatformEvent } from '../../events/domain-events.js';

/**
 * Topic `admin`: another admin has set the first password of an admin, or an admin has changed their own. Emitted in the
 * transaction that stores it.
 */
export interface AdminEvent extends PlatformEvent {
  readonly name: 'admin.password-set' | 'admin.password-changed';
  /** The admin's e-mail address, as those of the two others. */
  readonly email: string;
  readonly setBy: string;
  /** Null with FOUR_EYES=off, and for an own password. */
  readonly approvedBy: string | null;
}
