import {
  BooleanField,
  DayField,
  EnumField,
  InstantField,
  IntegerField,
  MoneyField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { APPROVAL_KINDS, APPROVAL_STATUSES } from '../../../identity/approvals/approvals.types.js';
import { USER_STATUSES } from '../../../identity/users/users.types.js';
import { YIELD_REPORT_STATES } from '../../../investing/strategies/domain/yield-report.js';

// The field `data` of those events of the feed that users' webhooks do not have. None contains an e-mail address or free text.

export class FeedApprovalData {
  @UuidField() id!: string;
  @EnumField(APPROVAL_KINDS) kind!: string;
  @EnumField(APPROVAL_STATUSES) status!: string;
  @StringField({ description: 'kind of the record that the change concerns', example: 'user' })
  subjectType!: string;
  @StringField({ nullable: true, description: 'null for an admin, whose id is an e-mail address' })
  subjectId!: string | null;
}

export class FeedUserData {
  @EnumField(USER_STATUSES) status!: string;
  @EnumField(['sign-in', 'admin'], { nullable: true, description: 'of user.created; null otherwise' })
  createdBy!: string | null;
}

export class FeedEmailChangedData {
  @IntegerField({ description: 'wallets that the change has suspended' }) suspendedWallets!: number;
  @IntegerField({ description: 'API keys that it has revoked' }) revokedKeys!: number;
  @IntegerField({ description: 'webhooks that it has disabled' }) disabledWebhooks!: number;
  @InstantField({ nullable: true, description: 'end of the security hold that begins; null without one' })
  holdUntil!: string | null;
}

export class FeedSecurityData {
  @StringField({ nullable: true, description: 'of new-device: the network, such as 203.0.113.0/24' })
  network!: string | null;
  @BooleanField({
    nullable: true,
    description: 'of new-device: true if the device is known and only the network is new',
  })
  isKnownDevice!: boolean | null;
  @InstantField({
    nullable: true,
    description: 'of new-identity: end of the security hold; null without one',
  })
  holdUntil!: string | null;
  @StringField({ nullable: true, description: 'of the events of wallets: the address' }) wallet!:
    string | null;
  @StringField({
    nullable: true,
    description: 'of the events of webhooks: scheme and host of the receiver',
    example: 'https://hooks.example.org',
  })
  webhookOrigin!: string | null;
  @StringField({
    nullable: true,
    description: 'of tier-changed: the name of the new tier',
    example: 'Standard',
  })
  tier!: string | null;
}

export class FeedWithdrawalLimitData {
  @UuidField() withdrawalId!: string;
  @MoneyField({ description: 'requested amount in USDC' }) amount!: string;
}

export class FeedYieldData {
  @UuidField() id!: string;
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @DayField() day!: string;
  @StringField({ example: '10.00', description: 'achieved, percent a year' }) apy!: string;
  @MoneyField({ nullable: true, description: 'null for a report without an amount' })
  realisedAmount!: string | null;
  @EnumField(YIELD_REPORT_STATES, { description: 'after the report or the decision' }) state!: string;
}

export class FeedRequestAssignedData {
  @UuidField({ description: 'the transaction request' }) id!: string;
}
