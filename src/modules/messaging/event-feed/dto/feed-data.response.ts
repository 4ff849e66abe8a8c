import {
  Choice,
  Count,
  DayText,
  Flag,
  Instant,
  MoneyText,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { APPROVAL_KINDS } from '../../../identity/approvals/approvals.types.js';
import { APPROVAL_STATUSES } from '../../../identity/approvals/domain/approval.state-machine.js';
import { YIELD_REPORT_STATES } from '../../../investing/strategies/domain/yield-report.state-machine.js';
import { USER_STATUSES } from '../../../identity/users/users.types.js';

// The field `data` of those events of the feed that users' webhooks do not have. None contains an e-mail address or free text.

export class FeedApprovalData {
  @Uuid() id!: string;
  @Choice(APPROVAL_KINDS) kind!: string;
  @Choice(APPROVAL_STATUSES) status!: string;
  @Text({ description: 'kind of the record that the change concerns', example: 'user' }) subjectType!: string;
  @Text({ nullable: true, description: 'null for an admin, whose id is an e-mail address' })
  subjectId!: string | null;
}

export class FeedUserData {
  @Choice(USER_STATUSES) status!: string;
  @Choice(['sign-in', 'admin'], { nullable: true, description: 'of user.created; null otherwise' })
  createdBy!: string | null;
}

export class FeedEmailChangedData {
  @Count({ description: 'wallets that the change has suspended' }) suspendedWallets!: number;
  @Count({ description: 'API keys that it has revoked' }) revokedKeys!: number;
  @Count({ description: 'webhooks that it has disabled' }) disabledWebhooks!: number;
  @Instant({ nullable: true, description: 'end of the security hold that begins; null without one' })
  holdUntil!: string | null;
}

export class FeedSecurityData {
  @Text({ nullable: true, description: 'of new-device: the network, such as 203.0.113.0/24' })
  network!: string | null;
  @Flag({ nullable: true, description: 'of new-device: only the network is new' })
  isKnownDevice!: boolean | null;
  @Instant({ nullable: true, description: 'of new-identity: end of the security hold; null without one' })
  holdUntil!: string | null;
  @Text({ nullable: true, description: 'of the events of wallets: the address' }) wallet!: string | null;
  @Text({
    nullable: true,
    description: 'of the events of webhooks: scheme and host of the receiver',
    example: 'https://hooks.example.org',
  })
  webhookOrigin!: string | null;
  @Text({ nullable: true, description: 'of tier-changed: the name of the new tier', example: 'Standard' })
  tier!: string | null;
}

export class FeedWithdrawalLimitData {
  @Uuid() withdrawalId!: string;
  @MoneyText({ description: 'requested amount in USDC' }) amount!: string;
}

export class FeedYieldData {
  @Uuid() id!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @DayText() day!: string;
  @Text({ example: '10.00', description: 'achieved, percent a year' }) apy!: string;
  @MoneyText({ nullable: true, description: 'null for a report without an amount' })
  realisedAmount!: string | null;
  @Choice(YIELD_REPORT_STATES, { description: 'after the report or the decision' }) state!: string;
}

export class FeedRequestAssignedData {
  @Uuid({ description: 'the transaction request' }) id!: string;
}
