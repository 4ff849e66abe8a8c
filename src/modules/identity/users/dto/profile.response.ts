import { Choice, Flag, Instant, Nested, Text, TextList, Uuid } from '../../../../http/openapi/fields.js';
import { USER_STATUSES } from '../users.types.js';

export class ChannelsResponse {
  @Flag({
    description:
      'wants e-mail about deposits; e-mail about withdrawals and security is always sent; while emailAvailable is false the service sends no e-mail at all',
  })
  email!: boolean;
  @Flag({ description: 'optional in-app notifications: earning and promotion' }) push!: boolean;
  @Flag({ description: 'whether the service sends e-mail at all', example: true })
  emailAvailable!: boolean;
}

export class PreferencesResponse {
  @Text({
    example: 'en',
    description:
      'language of the texts that clients show. The service writes e-mail and notifications in German for de, de-CH and so on, else in English; a notification keeps the language in which it was written, while the descriptions of transactions and statements follow this preference',
  })
  language!: string;
  @Text({
    example: 'USD',
    description: 'for clients to show amounts in; the service converts no amount to it',
  })
  currency!: string;
  @Nested(() => ChannelsResponse) notifications!: ChannelsResponse;
  @TextList({
    description:
      'the preferences that change the behaviour of the service; the other ones are only stored for clients',
  })
  applied!: string[];
}

export class ProfileResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true }) name!: string | null;
  @Choice(USER_STATUSES) status!: string;
  @Text({ nullable: true, description: 'the first linked wallet that is not suspended' }) walletAddress!:
    string | null;
  @Nested(() => PreferencesResponse) preferences!: PreferencesResponse;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
}

export class PongResponse {
  @Choice(['pong']) message!: string;
  @Uuid() userId!: string;
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
  @Text({ example: 'not_checked', description: ABOUT_COMPLIANCE.kyc })
  kycStatus!: string;
  @Text({ example: 'clear', description: ABOUT_COMPLIANCE.aml })
  amlChecks!: string;
  @Text({ example: 'clear', description: ABOUT_COMPLIANCE.sanctions })
  sanctionsList!: string;
  @Text({ example: 'low', description: ABOUT_COMPLIANCE.risk })
  riskLevel!: string;
  @Instant({ nullable: true, description: ABOUT_COMPLIANCE.at })
  screenedAt!: string | null;
  @Text({ nullable: true, description: ABOUT_COMPLIANCE.reference })
  screeningReference!: string | null;
}
