import { InstantField, MapField, StringField, UuidField } from '../../../../http/openapi/fields.js';

export class AuditEntryResponse {
  @UuidField() id!: string;
  @InstantField({ description: 'time of the action' }) at!: string;
  @StringField({
    description: 'e-mail address of the admin, or `system` for automatic actions',
    example: 'admin@example.com',
  })
  admin!: string;
  @StringField({ description: 'a kind of record and a verb', example: 'withdrawal.take' }) action!: string;
  @StringField({ example: 'withdrawal' }) subjectType!: string;
  @StringField({ example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' }) subjectId!: string;
  @StringField({ nullable: true, description: 'the reason, for actions that require one' })
  reason!: string | null;
  @MapField(
    {},
    {
      nullable: true,
      description: 'the changed fields with their former values',
      example: { status: 'pending' },
    },
  )
  before!: Record<string, unknown> | null;
  @MapField(
    {},
    {
      nullable: true,
      description: 'the changed fields with their new values',
      example: { status: 'approved' },
    },
  )
  after!: Record<string, unknown> | null;
  @StringField({ nullable: true, description: 'trace id of the request, as in its response' })
  traceId!: string | null;
}
