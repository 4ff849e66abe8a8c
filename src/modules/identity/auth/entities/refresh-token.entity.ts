import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SignInMethod, TokenType } from '../auth.types.js';

/** A refresh token, stored until it expires even if it is spent or revoked. Times are real time. */
@Entity('refresh_token')
export class RefreshToken {
  /** `CredentialKeys.hashOf`. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'family_id' })
  familyId!: string;

  /** The wallet that signed in; null for any other sign-in, and after the wallet is deleted. */
  @Column('uuid', { name: 'wallet_id', nullable: true })
  walletId!: string | null;

  /** How the person signed in; null at an earlier version. */
  @Column('text', { name: 'opened_by', nullable: true })
  openedBy!: SignInMethod | null;

  @Column('text', { name: 'subject_type' })
  subjectType!: TokenType;

  /** The id of the user or admin. */
  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** Null until the token is spent. */
  @Column('timestamptz', { name: 'spent_at', nullable: true })
  spentAt!: Date | null;

  /** Null unless the token is revoked. */
  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** The token that replaces this one, encrypted with this one. Null unless this one was spent recently. */
  @Column('bytea', { nullable: true })
  successor!: Buffer | null;

  /** Null if the row opens nothing any more (`src/common/sealed-rows.ts`). */
  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}
