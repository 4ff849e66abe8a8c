import { EnumField, InstantField, NestedField, StringField } from '../../../../http/openapi/fields.js';
import { HOLD_REASONS, LOCK_ORIGINS, UNLOCKERS } from '../users.types.js';

export class HoldResponse {
  @InstantField() until!: string;
  @EnumField(HOLD_REASONS, {
    description:
      'new-identity: another account of the identity provider has signed in with the e-mail address; email-changed and factor-reset: admins have changed the e-mail address or removed all second factors',
  })
  reason!: string;
}

/** Describes fields that contain a `HoldResponse`. */
export const ABOUT_HOLD =
  'while it lasts, withdrawals, new addresses in the address book, links to wallets and API keys that can write are refused with SECURITY_HOLD; null without a hold';

export class AccountLockResponse {
  @InstantField() since!: string;
  @EnumField(LOCK_ORIGINS, {
    description:
      'session: the user in a session; link: the link of a mail; admin: an operator of the platform',
  })
  by!: string;
  @EnumField(UNLOCKERS, {
    description:
      'step-up: the user unlocks the account with a second factor; admins: only two admins do, because an admin has locked it or a security hold lasted when it was locked',
  })
  unlock!: string;
  @StringField({
    nullable: true,
    example: 'You have reported your phone as stolen.',
    description: 'given by the operator who has locked the account; null for other locks',
  })
  reason!: string | null;
}

/** Describes fields that contain an `AccountLockResponse`. */
export const ABOUT_LOCK =
  'while it lasts, withdrawals and changes of addresses, API keys, wallets, webhooks and second factors are refused with ACCOUNT_LOCKED; null without a lock';

export class LockStateResponse {
  @NestedField(() => AccountLockResponse, { nullable: true, description: ABOUT_LOCK })
  locked!: AccountLockResponse | null;
}

export class TierResponse {
  @StringField({ example: 'standard' }) id!: string;
  @StringField({
    nullable: true,
    example: 'Standard',
    description: 'null if LIMITS_FILE has no such tier: the strictest limits of all its tiers apply',
  })
  name!: string | null;
}

/** Describes fields that contain a `TierResponse`. */
export const ABOUT_TIER = 'the tier of LIMITS_FILE whose limits apply to the user';
