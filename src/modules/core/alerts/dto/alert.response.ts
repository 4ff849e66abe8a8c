import {
  EnumField,
  InstantField,
  NestedField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { ALERT_KINDS } from '../alerts.types.js';

const ABOUT_KINDS =
  'deposit-reorganised: the chain or the deposit provider contradicts a confirmed or failed deposit; withdrawal-paid-after-failure: ' +
  'the chain shows a payment for a withdrawal that has failed or was rejected or cancelled; second-transfer: the deposit ' +
  'provider reports a transfer under a second id that the chain shows once; clock-apart: the clock of a process differs from that of the database; admins-file: ADMINS_FILE ' +
  'is not valid; screening-away: the screening provider does not answer; screening-blocked: the screening provider blocks a user or an address; ' +
  'screening-review: the screening provider asks for a review of a user; ' +
  'log-restored: the database was restored, and the transparency log waits for an admin; payment-mismatch: the chain refutes the ' +
  'payment of a completed withdrawal or of a transaction by hand; large-deposit: a deposit of at least LARGE_DEPOSIT_ALERT was credited, and ' +
  'the service does not read its chain; events-behind: a consumer of events is more than a minute late; events-parked: a consumer ' +
  'has passed over events that it could not handle; event-webhook-failing: EVENT_WEBHOOK_URL has not accepted an event for five minutes; ' +
  'forged-credential: a table of credentials has a row that the service has not written, or that had ended; ' +
  'record-differs: a record of money contradicts the ledger; job-overdue: a background job has not succeeded for three of its intervals; ' +
  'deposit-unconfirmed: the deposit provider reports success without the confirmations that complete the deposit; ' +
  'unknown-tier: users have a tier that LIMITS_FILE does not have; platform-limit: the withdrawals of all users in 24 hours have reached 80 % ' +
  'of PLATFORM_WITHDRAWAL_PER_DAY';

export class AlertSubjectResponse {
  @StringField({
    example: 'deposit',
    description: 'kind of the subject: a record, a process, a setting, a service or the log',
  })
  type!: string;
  @StringField({ example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' }) id!: string;
  @UuidField({ nullable: true, description: 'the user whom the record concerns; null if there is none' })
  userId!: string | null;
  @StringField({ nullable: true }) txHash!: string | null;
}

/** The field `data` of events about alerts. The admin who has resolved an alert is in the alert itself. */
export class AlertEventData {
  @UuidField() id!: string;
  @EnumField(ALERT_KINDS) kind!: string;
  @StringField({ example: 'deposit', description: 'kind of the subject' }) subjectType!: string;
  @StringField() subjectId!: string;
  @StringField({ description: 'the condition or event' }) message!: string;
  @StringField({ description: 'the recommended action' }) nextStep!: string;
  @EnumField(['admin', 'system'], {
    nullable: true,
    description: 'system: the condition ended; null while it is open',
  })
  resolvedBy!: string | null;
}

export class AlertResponse {
  @UuidField() id!: string;
  @EnumField(ALERT_KINDS, { description: ABOUT_KINDS }) kind!: string;
  @NestedField(() => AlertSubjectResponse) subject!: AlertSubjectResponse;
  @StringField({
    description: 'the condition or event',
    example: 'The deposit was credited, and the chain no longer shows it.',
  })
  message!: string;
  @StringField({ description: 'the recommended action', example: 'Compare the deposit with the provider.' })
  nextStep!: string;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true, description: 'null while it is open' }) resolvedAt!: string | null;
  @StringField({
    nullable: true,
    description: 'the e-mail address of an admin, or `system` if the condition ended',
    example: 'operator@example.com',
  })
  resolvedBy!: string | null;
  @StringField({ nullable: true, description: 'the reason given with the resolution' })
  reason!: string | null;
}
