import type { PlatformEvent } from '../../database/domain-events.js';

/** Topic `admin`: another admin has set the first password of an admin. Emitted in the transaction that stores it. */
export interface AdminEvent extends PlatformEvent {
  readonly name: 'admin.password-set';
  /** The admin's e-mail address, as those of the two others. */
  readonly email: string;
  readonly setBy: string;
  /** Null with FOUR_EYES=off. */
  readonly approvedBy: string | null;
}
