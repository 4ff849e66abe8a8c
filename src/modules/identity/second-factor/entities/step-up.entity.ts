import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FactorOwner } from '../factors.types.js';

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
