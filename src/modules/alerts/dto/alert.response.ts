import { Choice, Instant, Nested, Text, Uuid } from '../../../http/openapi/fields.js';
import { ALERT_KINDS } from '../alerts.types.js';

export class AlertSubjectResponse {
  @Text({ example: 'deposit', description: 'kind of record' })
  type!: string;
  @Text({ example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' })
  id!: string;
  @Uuid({ nullable: true, description: 'the user whom it concerns' })
  userId!: string | null;
  @Text({ nullable: true })
  txHash!: string | null;
}

export class AlertResponse {
  @Uuid()
  id!: string;
  @Choice(ALERT_KINDS)
  kind!: string;
  @Nested(() => AlertSubjectResponse)
  subject!: AlertSubjectResponse;
  @Text({
    description: 'what was found',
    example: 'The deposit was credited, and the chain no longer shows it.',
  })
  message!: string;
  @Text({ description: 'what to do about it', example: 'Compare the deposit with the provider.' })
  nextStep!: string;
  @Instant()
  createdAt!: string;
  @Instant({ nullable: true, description: 'null while it is open' })
  resolvedAt!: string | null;
  @Text({
    nullable: true,
    description: 'the e-mail address of an admin, or `system` when the condition ended by itself',
    example: 'operator@example.com',
  })
  resolvedBy!: string | null;
  @Text({ nullable: true, description: 'what was said when it was resolved' })
  reason!: string | null;
}
