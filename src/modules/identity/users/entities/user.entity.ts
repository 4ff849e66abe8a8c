import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { HoldReason, LockOrigin, Unlocker, UserStatus } from '../users.types.js';

/** The account of a user, or of an admin who signs in by the identity provider. */
@Entity('platform_user')
export class User {
  @PrimaryColumn('uuid')
  id!: string;

  /** Lower case, unique. */
  @Column('text')
  email!: string;

  /** The identity provider has confirmed the present address. */
  @Column('boolean', { name: 'email_verified' })
  emailVerified!: boolean;

  /** Null if it is not known. */
  @Column('text', { name: 'full_name', nullable: true })
  fullName!: string | null;

  @Column('text')
  status!: UserStatus;

  /** A language tag, such as de-CH. */
  @Column('text')
  language!: string;

  /** The currency in which clients show amounts; the service converts no amount to it. */
  @Column('text')
  currency!: string;

  /** The user wants e-mail that is not about security. */
  @Column('boolean', { name: 'notify_email' })
  notifyEmail!: boolean;

  /** The user wants the optional notifications, `earning` and `promotion`. */
  @Column('boolean', { name: 'notify_push' })
  notifyPush!: boolean;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  /** Null before the first sign-in. */
  @Column('timestamptz', { name: 'last_login_at', nullable: true })
  lastLoginAt!: Date | null;

  /** The e-mail address of the admin who created the account; null if the user's first sign-in created it. */
  @Column('text', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  /** The end of the latest security hold, in domain time; null without one, as `holdReason`. `currentHold` tells whether it still lasts. */
  @Column('timestamptz', { name: 'hold_until', nullable: true })
  holdUntil!: Date | null;

  @Column('text', { name: 'hold_reason', nullable: true })
  holdReason!: HoldReason | null;

  /** Domain time; null if the account is not locked, as the two fields below. */
  @Column('timestamptz', { name: 'locked_at', nullable: true })
  lockedAt!: Date | null;

  @Column('text', { name: 'locked_by', nullable: true })
  lockedBy!: LockOrigin | null;

  @Column('text', { name: 'unlock_by', nullable: true })
  unlockBy!: Unlocker | null;

  /** True for the account of an admin. It is not counted as a user (DEC-106): lists, reports and announcements leave it out. */
  @Column('boolean', { name: 'is_admin' })
  isAdmin!: boolean;

  /**
   * A tier of LIMITS_FILE. Null for users from before the first file, who have its first tier. `LimitTiersService.tierOf` gives the
   * limits.
   */
  @Column('text', { nullable: true })
  tier!: string | null;
}

/** A subject of the identity provider that has signed in to an account. */
@Entity('user_identity')
export class UserIdentity {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  /** The claim `sub`; empty for tokens without it. */
  @PrimaryColumn('text')
  subject!: string;

  @Column('timestamptz', { name: 'first_seen_at' })
  firstSeenAt!: Date;
}

/** A change of a user's status by an admin, or the first status of a user whom an admin has created. */
@Entity('user_status_change')
export class UserStatusChange {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  status!: UserStatus;

  /** Null if the admin gave none. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date;

  /** The admin's e-mail address. */
  @Column('text', { name: 'changed_by' })
  changedBy!: string;
}
