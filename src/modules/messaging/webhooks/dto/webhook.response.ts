import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { DELIVERY_STATUSES, DISABLED_REASONS, FAILURES, SUBSCRIPTION_STATUSES } from '../webhooks.types.js';

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
