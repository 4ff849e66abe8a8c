import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FactorOwner } from '../factors.types.js';

/** A one-time code that stands in for a lost factor. Times are real time. */
@Entity('recovery_code')
export class RecoveryCode {
  /** `CredentialKeys.hashOf` of the owner and the code. */
  @PrimaryColumn('bytea', { name: 'code_hash' })
  codeHash!: Buffer;

  @Column('text', { name: 'subject_type' })
  subjectType!: FactorOwner['type'];

  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null until the code is used. */
  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;

  /** Shows that the service has written the row (`src/common/sealed-rows.ts`). */
  @Column('bytea')
  seal!: Buffer;
}
