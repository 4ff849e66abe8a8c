import { Instant, MapOf, Text, Uuid } from '../../../http/openapi/fields.js';

export class AuditEntryResponse {
  @Uuid()
  id!: string;
  @Instant({ description: 'when it was done' })
  at!: string;
  @Text({ description: 'e-mail address of who did it, or `system`', example: 'admin@example.com' })
  admin!: string;
  @Text({ description: 'what was done: a kind of record, and a verb', example: 'withdrawal.take' })
  action!: string;
  @Text({ example: 'withdrawal' })
  subjectType!: string;
  @Text({ example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' })
  subjectId!: string;
  @Text({ nullable: true, description: 'the reason that was given, where one is asked for' })
  reason!: string | null;
  @MapOf({}, { nullable: true, description: 'what it changed, field by field, as it was' })
  before!: Record<string, unknown> | null;
  @MapOf({}, { nullable: true, description: 'what it changed, field by field, as it became' })
  after!: Record<string, unknown> | null;
  @Text({ nullable: true, description: 'traceId of the answer that it was told with' })
  traceId!: string | null;
}
