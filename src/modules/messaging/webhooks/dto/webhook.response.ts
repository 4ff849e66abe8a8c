import {
  BooleanField,
  DayField,
  EnumField,
  HashField,
  InstantField,
  IntegerField,
  MoneyField,
  NestedField,
  replacedBy,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { WebhookBody } from '../../../../http/openapi/webhooks.js';
import { DEPOSIT_CURRENCIES, NETWORKS } from '../../../funds/deposits/domain/networks.js';
import {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  EVENT_TYPES,
  FAILURES,
  SUBSCRIPTION_STATUSES,
  TEST_EVENT,
} from '../webhooks.types.js';

export class WebhookResponse {
  @UuidField() id!: string;
  @StringField({ example: 'https://shop.example.com/hooks' }) url!: string;
  @StringField({ nullable: true, example: 'Orders of the shop' }) description!: string | null;
  @StringListField({ example: ['deposit.completed', 'withdrawal.completed'] }) events!: readonly string[];
  @EnumField(SUBSCRIPTION_STATUSES, { description: 'disabled: events are neither stored for it nor sent' })
  status!: string;
  @EnumField(DISABLED_REASONS, {
    nullable: true,
    description:
      'user: by its owner; gone: it has answered 410; failing: attempts have failed for three days without a success; email-changed: an admin has changed the e-mail address of the account; ' +
      'backlog: more than 1,000 deliveries to the webhooks of the account waited, and this webhook had been failing or delaying them for longest',
  })
  disabledReason!: string | null;
  @InstantField({
    nullable: true,
    description: 'the first failure since the last success or the last change of the status',
  })
  failingSince!: string | null;
  @InstantField({
    nullable: true,
    description: 'until this time deliveries are signed with the previous secret, too',
  })
  previousSecretUntil!: string | null;
  @InstantField() createdAt!: string;
  @InstantField() updatedAt!: string;
}

export class WebhookWithSecretResponse extends WebhookResponse {
  @StringField({
    description: 'Verifies the signatures. Shown only this once: store it.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwZ3a1b2c3d4e=',
  })
  secret!: string;
}

export class DeletedWebhookResponse {
  @UuidField() id!: string;
  @BooleanField({ description: 'Always true. Its deliveries are deleted, too.' }) deleted!: boolean;
}

export class DeliveryResponse {
  @UuidField({ description: 'header webhook-id, the same at every attempt' }) id!: string;
  @StringField({ example: 'deposit.completed' }) event!: string;
  @EnumField(DELIVERY_STATUSES, {
    description: 'delivered: answered with 2xx; dead: not retried after ten attempts, or after 410',
  })
  status!: string;
  @IntegerField({ description: 'since its creation or its last redelivery' }) attempts!: number;
  @IntegerField({
    nullable: true,
    example: 204,
    description: 'HTTP status of the last response; its body is not stored',
  })
  responseStatus!: number | null;
  @EnumField(FAILURES, {
    nullable: true,
    description:
      'of the last attempt. status: the response was not 2xx; timeout: it took more than 10 seconds; connection: it failed or ' +
      'broke; address-refused: the host has no address, or one that is not public; unsent: an error of this service',
  })
  failure!: string | null;
  @IntegerField({ nullable: true, example: 87, description: 'milliseconds of the last attempt' })
  durationMs!: number | null;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) lastAttemptAt!: string | null;
  @InstantField({ nullable: true, description: 'earliest time; null if no attempt follows' })
  nextAttemptAt!: string | null;
}

// The field `data` of webhook events and of users' live events.

export class DepositEventData {
  @UuidField() depositId!: string;
  @EnumField(['pending', 'confirming', 'completed', 'failed']) status!: string;
  @MoneyField({ description: 'as received, in the currency, rounded down to six decimals' }) amount!: string;
  @EnumField(DEPOSIT_CURRENCIES) currency!: string;
  @EnumField(NETWORKS) network!: string;
  @MoneyField({
    nullable: true,
    description: 'in USDC, or in ETH for ETH; null until the deposit is completed',
  })
  credited!: string | null;
  @StringField() txHash!: string;
  @StringField({ nullable: true }) fromAddress!: string | null;
  @StringField() toAddress!: string;
  @IntegerField({ example: 12, description: 'confirmations at the last report or reading of the chain' })
  confirmations!: number;
  @StringField({ nullable: true, description: 'a sentence for the user, of held and failed deposits' })
  reason!: string | null;
}

export class InvestmentEventData {
  @UuidField({ description: 'of investment.moved: the investment that the move opened' })
  investmentId!: string;
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @MoneyField({
    description:
      'principal; of a partial closing that of the closed part, of investment.moved that of the investment that the move opened',
  })
  amount!: string;
  @EnumField(['USDC']) currency!: string;
  @MoneyField({
    nullable: true,
    description:
      'of what ended, before fees: closed, moved, cancelled or rejected; null if the event ended nothing',
  })
  finalValue!: string | null;
  @MoneyField({ nullable: true, description: 'principal of what ended; null if the event ended nothing' })
  initialInvestment!: string | null;
  @MoneyField({
    nullable: true,
    description:
      'finalValue less initialInvestment; negative for a loss and for growth that cancelling takes back; null if the event ended nothing',
  })
  totalEarnings!: string | null;
  @MoneyField({
    nullable: true,
    description:
      'finalValue less fees: what became available; 0.00 for a move; null if the event ended nothing',
  })
  withdrawnAmount!: string | null;
  @MoneyField({ description: 'all fees that a closing charged, in one sum; 0.00 for other events' })
  fees!: string;
  @MoneyField({
    ...replacedBy('totalEarnings'),
    description: `${replacedBy('totalEarnings').description}. 0.00 where totalEarnings is null`,
  })
  growth!: string;
  @MoneyField({
    nullable: true,
    description: 'principal that stays invested after a partial closing; null otherwise',
  })
  stillInvested!: string | null;
  @StringField({ nullable: true, description: 'of a rejection' }) reason!: string | null;
  @UuidField({
    nullable: true,
    description: 'the investment that was moved into this one; null if no move opened it',
  })
  movedFrom!: string | null;
  @UuidField({
    nullable: true,
    description:
      'the investment into which this one was moved; of investment.moved the same as investmentId; null if it was not moved',
  })
  movedTo!: string | null;
}

export class WithdrawalEventData {
  @UuidField() withdrawalId!: string;
  @EnumField(['pending', 'processing', 'completed', 'rejected', 'failed']) status!: string;
  @MoneyField({ description: 'requested amount in USDC' }) amount!: string;
  @EnumField(['USDC']) currency!: string;
  @StringField() toAddress!: string;
  @StringField({ nullable: true }) txHash!: string | null;
  @StringField({ nullable: true, description: 'a sentence, of rejected, failed and returned withdrawals' })
  reason!: string | null;
  @BooleanField() cancelledByUser!: boolean;
  @InstantField({ nullable: true }) cancelledAt!: string | null;
}

export class LogCheckpointData {
  @DayField({ description: 'the UTC day that has ended' }) day!: string;
  @IntegerField({ description: 'leaves of the transparency log' }) size!: number;
  @HashField({ description: 'root of the tree' }) root!: string;
  @StringField({ description: 'the signed checkpoint, as GET /api/proofs/checkpoint answers it' })
  checkpoint!: string;
}

export class WebhookTestData {
  @UuidField() webhookId!: string;
}

const DELIVERY =
  'Sent to the webhooks of a user at least once, in any order. Anything but 2xx within ten seconds is tried again for about three days; 410 disables the webhook.';

/** An event in the section `webhooks` of the OpenAPI document. */
const delivered = (name: string, summary: string) =>
  WebhookBody({
    name,
    tag: 'Outbound webhooks',
    summary,
    description: DELIVERY,
    contentType: 'application/json',
  });

const EventTypeField = (types: readonly string[]) => EnumField(types, { description: 'what has happened' });

const typesOf = (topic: string) => EVENT_TYPES.filter((type) => type.startsWith(`${topic}.`));

@delivered('depositEvent', 'A deposit has changed')
export class DepositEventBody {
  @EventTypeField(typesOf('deposit')) type!: string;
  @InstantField({ description: 'of the event' }) timestamp!: string;
  @NestedField(() => DepositEventData) data!: DepositEventData;
}

@delivered('investmentEvent', 'An investment has changed')
export class InvestmentEventBody {
  @EventTypeField(typesOf('investment')) type!: string;
  @InstantField({ description: 'of the event' }) timestamp!: string;
  @NestedField(() => InvestmentEventData) data!: InvestmentEventData;
}

@delivered('withdrawalEvent', 'A withdrawal has changed')
export class WithdrawalEventBody {
  @EventTypeField(typesOf('withdrawal')) type!: string;
  @InstantField({ description: 'of the event' }) timestamp!: string;
  @NestedField(() => WithdrawalEventData) data!: WithdrawalEventData;
}

@delivered('checkpointEvent', 'The transparency log has closed a day')
export class CheckpointEventBody {
  @EventTypeField(typesOf('log')) type!: string;
  @InstantField({ description: 'of the event' }) timestamp!: string;
  @NestedField(() => LogCheckpointData) data!: LogCheckpointData;
}

@delivered('testEvent', 'The user has asked for a test')
export class TestEventBody {
  @EventTypeField([TEST_EVENT]) type!: string;
  @InstantField({ description: 'of the event' }) timestamp!: string;
  @NestedField(() => WebhookTestData) data!: WebhookTestData;
}

export type EventData =
  DepositEventData | InvestmentEventData | WithdrawalEventData | LogCheckpointData | WebhookTestData;
