import { Choice, Instant } from '../../../http/openapi/fields.js';
import { HOLD_REASONS } from '../users.types.js';

export class HoldResponse {
  @Instant() until!: string;
  @Choice(HOLD_REASONS, {
    description:
      'new-identity: another account of the identity provider has signed in with the e-mail address; email-changed: admins have changed the e-mail address',
  })
  reason!: string;
}

/** Describes fields that contain a `HoldResponse`. */
export const ABOUT_HOLD =
  'while it lasts, withdrawals, new addresses in the address book, links to wallets and API keys that can write are refused with SECURITY_HOLD; null without a hold';
