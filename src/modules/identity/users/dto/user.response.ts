import {
  BooleanField,
  EnumField,
  InstantField,
  NestedField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { HOLD_REASONS, LOCK_ORIGINS, UNLOCKERS, USER_STATUSES } from '../users.types.js';

export const ABOUT_EMAIL =
  'wants e-mail about deposits; e-mail about withdrawals and security is always sent; while emailAvailable is false the service sends no e-mail at all';
export const ABOUT_PUSH = 'optional in-app notifications: earning and promotion';
export const ABOUT_CURRENCY = 'for clients to show amounts in; the service converts no amount to it';

export class ChannelsResponse {
  @BooleanField({ description: ABOUT_EMAIL }) email!: boolean;
  @BooleanField({ description: ABOUT_PUSH }) push!: boolean;
  @BooleanField({ description: 'whether the service sends e-mail at all', example: true })
  emailAvailable!: boolean;
}

export class PreferencesResponse {
  @StringField({
    example: 'en',
    description:
      'language of the texts that clients show. The service writes e-mail and notifications in German for de, de-CH and so on, else in English; a notification keeps the language in which it was written, while the descriptions of transactions and statements follow this preference',
  })
  language!: string;
  @StringField({ example: 'USD', description: ABOUT_CURRENCY }) currency!: string;
  @NestedField(() => ChannelsResponse) notifications!: ChannelsResponse;
  @StringListField({
    description:
      'the preferences that change the behaviour of the service; the other ones are only stored for clients',
  })
  applied!: string[];
}

export class ProfileResponse {
  @UuidField() id!: string;
  @StringField() email!: string;
  @StringField({ nullable: true }) name!: string | null;
  @EnumField(USER_STATUSES) status!: string;
  @StringField({ nullable: true, description: 'the first linked wallet that is not suspended' })
  walletAddress!: string | null;
  @NestedField(() => PreferencesResponse) preferences!: PreferencesResponse;
  @InstantField() createdAt!: string;
  @InstantField() updatedAt!: string;
  @InstantField({ nullable: true }) lastLoginAt!: string | null;
}

export class PongResponse {
  @EnumField(['pong']) message!: string;
  @UuidField() userId!: string;
}

const UNTIL_ANSWERED =
  'until the provider has answered about the user and, for a withdrawal, about the address; not_checked if no screening is configured';
const ABOUT_COMPLIANCE = {
  kyc: 'always not_checked: the platform does not check identities',
  aml: `clear, review or blocked; pending in place of clear ${UNTIL_ANSWERED}`,
  sanctions: `clear or listed; pending in place of clear ${UNTIL_ANSWERED}`,
  risk: `low, medium or high; pending in place of low or medium ${UNTIL_ANSWERED}`,
  at: 'when the screening provider gave the worst answer, of equal ones the oldest; null without an answer',
  reference: "the screening provider's reference of that answer",
} as const;

export class ComplianceResponse {
  @StringField({ example: 'not_checked', description: ABOUT_COMPLIANCE.kyc }) kycStatus!: string;
  @StringField({ example: 'clear', description: ABOUT_COMPLIANCE.aml }) amlChecks!: string;
  @StringField({ example: 'clear', description: ABOUT_COMPLIANCE.sanctions }) sanctionsList!: string;
  @StringField({ example: 'low', description: ABOUT_COMPLIANCE.risk }) riskLevel!: string;
  @InstantField({ nullable: true, description: ABOUT_COMPLIANCE.at }) screenedAt!: string | null;
  @StringField({ nullable: true, description: ABOUT_COMPLIANCE.reference })
  screeningReference!: string | null;
}

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
      'step-up: the user unlocks the account with a second factor; admins: only two admins do, because an admin has locked it, or a security hold lasted or a second factor was new when it was locked',
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
