import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SessionKind, SignInMethod, TokenType, UserSignInMethod } from '../auth.types.js';

/** The session of one access token; the id is the token's claim `jti`. Times are real time. */
@Entity('session')
export class Session {
  @PrimaryColumn('uuid')
  id!: string;

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

  /** The time of the latest request of an admin, at most a minute behind; null before the first one, and for users. */
  @Column('timestamptz', { name: 'last_seen_at', nullable: true })
  lastSeenAt!: Date | null;

  /** Null unless the session is revoked. */
  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** Null if the row opens nothing any more (`src/common/sealed-rows.ts`). */
  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}

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

/**
 * A sign-in of a user, with all sessions and refresh tokens that descend from it. Kept for 90 days, also after it has ended. Times are
 * real time.
 */
@Entity('sign_in')
export class SignIn {
  @PrimaryColumn('uuid', { name: 'family_id' })
  familyId!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** Where the access token is kept: by the client itself (bearer) or in a cookie. */
  @Column('text')
  kind!: SessionKind;

  /** The header User-Agent, shortened; empty if there was none. */
  @Column('text')
  device!: string;

  /** Null at an earlier version. */
  @Column('text', { nullable: true })
  method!: UserSignInMethod | null;

  /** The network address of the request that signed in; null at an earlier version, and if it was not known. */
  @Column('text', { nullable: true })
  address!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Time of the last request, at most a minute behind. */
  @Column('timestamptz', { name: 'last_seen_at' })
  lastSeenAt!: Date;

  /** Expiry of the newest refresh token. */
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
