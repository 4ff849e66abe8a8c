import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ErrorCode } from '../../../../common/errors/error-catalogue.js';
import type { ChangeKind, ApprovalStatus } from '../approvals.types.js';

/** A change that one admin has requested. A trigger refuses every change but the decision. Times are domain time. */
@Entity('approval')
export class ApprovalRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  kind!: ChangeKind;

  /** The record that the change concerns, as in the audit log. */
  @Column('text', { name: 'subject_type' })
  subjectType!: string;

  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  @Column('text', { name: 'subject_label' })
  subjectLabel!: string;

  @Column('jsonb', { name: 'change_before' })
  before!: object;

  @Column('jsonb', { name: 'change_after' })
  after!: object;

  /** What the handler of the kind needs. Never shown, and null after the decision, because it may be a password hash. */
  @Column('jsonb', { nullable: true })
  input!: object | null;

  /** The reason of the requester; null for kinds that need none. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text')
  status!: ApprovalStatus;

  /** Why the approved change was refused, as `failureMessage`; null unless the status is `failed`. */
  @Column('text', { name: 'failure_code', nullable: true })
  failureCode!: ErrorCode | null;

  @Column('text', { name: 'failure_message', nullable: true })
  failureMessage!: string | null;

  /** An admin's e-mail address, as `decidedBy`. */
  @Column('text', { name: 'requested_by' })
  requestedBy!: string;

  @Column('timestamptz', { name: 'requested_at' })
  requestedAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** The second admin or, for a withdrawn request, the requester; null before the decision, and after an expiry. */
  @Column('text', { name: 'decided_by', nullable: true })
  decidedBy!: string | null;

  /** Null before the decision. */
  @Column('timestamptz', { name: 'decided_at', nullable: true })
  decidedAt!: Date | null;

  /** The note of an approval, or the reason of a rejection; null without one. */
  @Column('text', { nullable: true })
  note!: string | null;

  /** Null after the decision (`src/common/sealed-rows.ts`). */
  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}
