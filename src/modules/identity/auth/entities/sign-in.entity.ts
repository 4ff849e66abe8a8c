import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SessionKind, UserSignInMethod } from '../auth.types.js';

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
