import { Choice, Instant, MapOf, Nested, Text, Uuid } from '../../../../http/openapi/fields.js';
import { APPROVAL_KINDS } from '../approvals.types.js';
import { APPROVAL_STATUSES } from '../domain/approval.state-machine.js';

const ABOUT_KINDS =
  'what is to be changed. transaction, break and withdrawal are records that have routes of their own for both steps; their id is ' +
  'that of the record';

export class ApprovalSubjectResponse {
  @Text({ example: 'user', description: 'kind of the record, as in the audit log' })
  type!: string;
  @Text({ example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' })
  id!: string;
  @Text({ example: 'ann@example.org', description: 'names the record for people' })
  label!: string;
}

export class ApprovalChangeResponse {
  @MapOf({}, { example: { email: 'ann@example.org' }, description: 'the fields at the time of the request' })
  before!: object;
  @MapOf({}, { example: { email: 'ann@example.net' }, description: 'the fields after the change' })
  after!: object;
}

export class ApprovalFailureResponse {
  @Text({ example: 'INVALID_STATE' })
  code!: string;
  @Text({ example: 'The record has changed since the request.' })
  message!: string;
}

export class ApprovalResponse {
  @Uuid()
  id!: string;
  @Choice(APPROVAL_KINDS, { description: ABOUT_KINDS, example: 'user.email-change' })
  kind!: string;
  @Nested(() => ApprovalSubjectResponse)
  subject!: ApprovalSubjectResponse;
  @Nested(() => ApprovalChangeResponse)
  change!: ApprovalChangeResponse;
  @Text({ nullable: true, description: 'given with the request' })
  reason!: string | null;
  @Choice(APPROVAL_STATUSES, {
    description:
      'approved: the change was made with the approval; failed: it was approved and then refused, see `failure`; withdrawn: by its requester; expired: nobody has decided in time',
  })
  status!: string;
  @Nested(() => ApprovalFailureResponse, {
    nullable: true,
    description: 'why an approved change was refused',
  })
  failure!: ApprovalFailureResponse | null;
  @Text({
    example: 'admin@example.com',
    description: 'e-mail address of an admin; of a withdrawal, of its user',
  })
  requestedBy!: string;
  @Instant()
  requestedAt!: string;
  @Instant({ nullable: true, description: 'null for a record of another module' })
  expiresAt!: string | null;
  @Text({ nullable: true, example: 'admin2@example.com' })
  decidedBy!: string | null;
  @Instant({ nullable: true })
  decidedAt!: string | null;
  @Text({ nullable: true, description: 'the note of the approval, or the reason of the rejection' })
  note!: string | null;
}
