import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An entry of the audit log, which is append-only: triggers refuse every update, delete and truncate. */
@Entity('audit_entry')
export class AuditEntry {
  @PrimaryColumn('uuid')
  id!: string;

  /** Domain time of the action. */
  @Column('timestamptz')
  at!: Date;

  /** Real time of the insert, set by the database. */
  @Column('timestamptz', { name: 'recorded_at' })
  recordedAt!: Date;

  /** The e-mail address of an admin, or `system`. */
  @Column('text')
  actor!: string;

  /** `subject.verb`, for example `withdrawal.take`. */
  @Column('text')
  action!: string;

  /** A kind of record, for example `withdrawal`. */
  @Column('text', { name: 'subject_type' })
  subjectType!: string;

  /** Identifies the record among those of its kind; mostly a UUID. */
  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  /** Null for actions that need no reason. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** The changed fields with their values before the action; null if it has created the record or changed none. */
  @Column('jsonb', { nullable: true })
  before!: object | null;

  /** The changed fields with their values after the action; null if it has changed none. */
  @Column('jsonb', { nullable: true })
  after!: object | null;

  /** The trace of the request; null for an action outside of a request. */
  @Column('text', { name: 'trace_id', nullable: true })
  traceId!: string | null;
}
