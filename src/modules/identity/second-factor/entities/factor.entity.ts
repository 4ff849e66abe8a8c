import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FactorOwner } from '../factors.types.js';

/** A WebAuthn credential of a user or an admin. Times are real time. */
@Entity('passkey')
export class Passkey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { name: 'subject_type' })
  subjectType!: FactorOwner['type'];

  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  /** The owner's name for it. */
  @Column('text')
  name!: string;

  /** base64url, as the authenticator has given it. */
  @Column('text', { name: 'credential_id' })
  credentialId!: string;

  /** COSE key. */
  @Column('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /** The authenticator's count of uses at the latest use. Many authenticators always report 0. */
  @Column('bigint', { name: 'sign_count', transformer: { from: Number, to: (value: number) => value } })
  signCount!: number;

  @Column('text', { array: true })
  transports!: readonly string[];

  /** Whether the owner's devices share the passkey: then it survives the loss of a device. */
  @Column('boolean', { name: 'backed_up' })
  backedUp!: boolean;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null before the first use. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** Shows that the service has written the row: a seal of the columns that `SEALED_COLUMNS` lists (src/common/sealed-rows.ts). */
  @Column('bytea')
  seal!: Buffer;
}

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

/** A fresh proof for one action: asked for, verified by a factor, used up by the action. Times are real time. */
@Entity('step_up')
export class StepUp {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { name: 'subject_type' })
  subjectType!: FactorOwner['type'];

  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  /** The token family of the session that has asked; for a sign-in, which has no session yet, an id of its own. */
  @Column('uuid', { name: 'family_id' })
  familyId!: string;

  /** A `StepUpAction`, `PASSKEY_REGISTRATION` or `SIGN_IN`. */
  @Column('text')
  action!: string;

  /** `hashOfDetails` (domain/step-up-actions.ts). */
  @Column('bytea', { name: 'details_hash' })
  detailsHash!: Buffer;

  /** base64url: what an authenticator signs. */
  @Column('text')
  challenge!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** `CredentialKeys.hashOf` of the token; null before a factor has verified the step-up. */
  @Column('bytea', { name: 'token_hash', nullable: true })
  tokenHash!: Buffer | null;

  /** Null as `tokenHash`. */
  @Column('timestamptz', { name: 'token_expires_at', nullable: true })
  tokenExpiresAt!: Date | null;

  /** Null until the action uses the step-up. */
  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;

  /** Shows that the service has written the row: a seal of the columns that `SEALED_COLUMNS` lists (src/common/sealed-rows.ts). */
  @Column('bytea')
  seal!: Buffer;
}
