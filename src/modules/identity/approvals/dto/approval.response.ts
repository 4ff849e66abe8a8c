import {
  EnumField,
  InstantField,
  MapField,
  NestedField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { APPROVAL_KINDS, APPROVAL_STATUSES } from '../approvals.types.js';
const ABOUT_KINDS =
  'what is to be changed. transaction, break and withdrawal are records that have routes of their own for both steps; their id is ' +
  'that of the record';

export class ApprovalSubjectResponse {
  @StringField({ example: 'user', description: 'kind of the record, as in the audit log' }) type!: string;
  @StringField({ example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' }) id!: string;
  @StringField({ example: 'ann@example.org', description: 'names the record for people' }) label!: string;
}

export class ApprovalChangeResponse {
  @MapField(
    {},
    { example: { email: 'ann@example.org' }, description: 'the fields at the time of the request' },
  )
  before!: object;
  @MapField({}, { example: { email: 'ann@example.net' }, description: 'the fields after the change' })
  after!: object;
}

export class ApprovalFailureResponse {
  @StringField({ example: 'INVALID_STATE' }) code!: string;
  @StringField({ example: 'The record has changed since the request.' }) message!: string;
}

export class ApprovalResponse {
  @UuidField() id!: string;
  @EnumField(APPROVAL_KINDS, { description: ABOUT_KINDS, example: 'user.email-change' }) kind!: string;
  @NestedField(() => ApprovalSubjectResponse) subject!: ApprovalSubjectResponse;
  @NestedField(() => ApprovalChangeResponse) change!: ApprovalChangeResponse;
  @StringField({ nullable: true, description: 'given with the request' }) reason!: string | null;
  @EnumField(APPROVAL_STATUSES, {
    description:
      'approved: the change was made with the approval; failed: it was approved and then refused, see `failure`; withdrawn: by its requester; expired: nobody has decided in time',
  })
  status!: string;
  @NestedField(() => ApprovalFailureResponse, {
    nullable: true,
    description: 'why an approved change was refused',
  })
  failure!: ApprovalFailureResponse | null;
  @StringField({
    example: 'admin@example.com',
    description: 'e-mail address of an admin; of a withdrawal, of its user',
  })
  requestedBy!: string;
  @InstantField() requestedAt!: string;
  @InstantField({ nullable: true, description: 'null for a record of another module' })
  expiresAt!: string | null;
  @StringField({ nullable: true, example: 'admin2@example.com' }) decidedBy!: string | null;
  @InstantField({ nullable: true }) decidedAt!: string | null;
  @StringField({ nullable: true, description: 'the note of the approval, or the reason of the rejection' })
  note!: string | null;
}
