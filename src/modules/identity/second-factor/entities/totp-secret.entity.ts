import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FactorOwner } from '../factors.types.js';

/** The secret of a user's or an admin's time-based one-time codes (RFC 6238). Times are real time. */
@Entity('totp_secret')
export class TotpSecret {
  @PrimaryColumn('text', { name: 'subject_id' })
  subjectId!: string;

  @PrimaryColumn('text', { name: 'subject_type' })
  subjectType!: FactorOwner['type'];

  /** Encrypted by `FactorSecretsService`. */
  @Column('bytea')
  secret!: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null until a code has confirmed the secret. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt!: Date | null;

  /** The step, of 30 seconds since 1970, of the latest code that was used, since a code counts once; null before the first use. */
  @Column('bigint', {
    name: 'used_step',
    nullable: true,
    transformer: { from: toNumber, to: (value: number | null) => value },
  })
  usedStep!: number | null;

  /** Shows that the service has written the row (`src/common/sealed-rows.ts`). */
  @Column('bytea')
  seal!: Buffer;
}

function toNumber(value: string | null): number | null {
  return value === null ? null : Number(value);
}
