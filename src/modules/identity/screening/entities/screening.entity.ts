import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Subject, Verdict } from '../domain/verdict.js';

/** An answer of the screening provider. Times are real time, by the database's clock. */
@Entity('screening_verdict')
export class ScreeningVerdict {
  /** An identity column; PostgreSQL's bigint is text here. */
  @PrimaryColumn('bigint')
  id!: string;

  @Column('text')
  subject!: Subject;

  /** Null for an address. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column('text')
  verdict!: Verdict;

  /** On the provider's scale; not money. */
  @Column('numeric', { name: 'risk_score', transformer: { from: Number, to: String } })
  riskScore!: number;

  /** Names of the sanctions lists that contain the subject. */
  @Column('text', { array: true })
  lists!: string[];

  /** The provider's reference of the answer. */
  @Column('text')
  reference!: string;

  @Column('timestamptz', { name: 'screened_at' })
  screenedAt!: Date;

  /** True if the verdict is about an earlier e-mail address of the user. */
  @Column('boolean')
  outdated!: boolean;

  /** The time at which an admin accepted the verdict `review` on a user; null in all other rows. */
  @Column('timestamptz', { name: 'accepted_at', nullable: true })
  acceptedAt!: Date | null;

  /** The e-mail address of that admin. Null when `acceptedAt` is null, as `acceptReason`. */
  @Column('text', { name: 'accepted_by', nullable: true })
  acceptedBy!: string | null;

  @Column('text', { name: 'accept_reason', nullable: true })
  acceptReason!: string | null;

  @Column('bytea')
  seal!: Buffer;
}

/** A review that an admin has accepted for one withdrawal. */
@Entity('screening_acceptance')
export class ScreeningAcceptance {
  @PrimaryColumn('uuid', { name: 'withdrawal_id' })
  withdrawalId!: string;

  @PrimaryColumn('text')
  subject!: Subject;

  /** The provider's reference of the accepted verdict. */
  @Column('text')
  reference!: string;

  @Column('text')
  reason!: string;

  /** Real time, by the database's clock. */
  @Column('timestamptz', { name: 'accepted_at' })
  acceptedAt!: Date;

  /** The e-mail address of the admin. */
  @Column('text', { name: 'accepted_by' })
  acceptedBy!: string;
}

/** A subject that waits for a verdict. Times are real time, by the database's clock. */
@Entity('screening_question')
export class ScreeningQuestion {
  @PrimaryColumn('text')
  subject!: Subject;

  /** Null for an address. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  /** When the provider may be asked. */
  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;

  /** Failed attempts. */
  @Column('int')
  attempts!: number;

  /** The process that asks, and when its lease ends; both are null if none does. */
  @Column('uuid', { nullable: true })
  holder!: string | null;

  @Column('timestamptz', { name: 'asking_until', nullable: true })
  askingUntil!: Date | null;
}
