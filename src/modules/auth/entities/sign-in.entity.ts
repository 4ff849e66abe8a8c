import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SessionKind } from '../auth.types.js';

/** A sign-in of a user, with all sessions and refresh tokens that descend from it. Times are real time. */
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

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Time of the last request, at most a minute behind. */
  @Column('timestamptz', { name: 'last_seen_at' })
  lastSeenAt!: Date;

  /** Expiry of the newest refresh token. */
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
