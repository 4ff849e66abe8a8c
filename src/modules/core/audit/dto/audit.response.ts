import { Instant, MapOf, Text, Uuid } from '../../../../http/openapi/fields.js';

export class AuditEntryResponse {
  @Uuid()
  id!: string;
  @Instant({ description: 'time of the action' })
  at!: string;
  @Text({
    description: 'e-mail address of the admin, or `system` for automatic actions',
    example: 'admin@example.com',
  })
  admin!: string;
  @Text({ description: 'a kind of record and a verb', example: 'withdrawal.take' })
  action!: string;
  @Text({ example: 'withdrawal' })
  subjectType!: string;
  @Text({ example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' })
  subjectId!: string;
  @Text({ nullable: true, description: 'the reason, for actions that require one' })
  reason!: string | null;
  @MapOf(
    {},
    {
      nullable: true,
      description: 'the changed fields with their former values',
      example: { status: 'pending' },
    },
  )
  before!: Record<string, unknown> | null;
  @MapOf(
    {},
    {
      nullable: true,
      description: 'the changed fields with their new values',
      example: { status: 'approved' },
    },
  )
  after!: Record<string, unknown> | null;
  @Text({ nullable: true, description: 'trace id of the request, as in its response' })
  traceId!: string | null;
}
