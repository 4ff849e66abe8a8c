import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SignInMethod, TokenType } from '../auth.types.js';

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
