import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Data about an admin of ADMINS_FILE that change while the service runs: the first password and the last sign-in. Times are
 * domain time.
 */
@Entity('admin_account')
export class AdminAccountRecord {
  /** Lower case. */
  @PrimaryColumn('text')
  email!: string;

  /** argon2id; null without a stored password. A hash in ADMINS_FILE takes precedence. */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  /** The e-mail address of the admin who set the password; null without one, as `passwordSetAt`. */
  @Column('text', { name: 'password_set_by', nullable: true })
  passwordSetBy!: string | null;

  @Column('timestamptz', { name: 'password_set_at', nullable: true })
  passwordSetAt!: Date | null;

  /** The e-mail address of the other admin who was the last to give this admin a first password; null if none has. */
  @Column('text', { name: 'password_given_by', nullable: true })
  passwordGivenBy!: string | null;

  /** When that password was given; null as `passwordGivenBy`. */
  @Column('timestamptz', { name: 'password_given_at', nullable: true })
  passwordGivenAt!: Date | null;

  /** Null before the first sign-in. */
  @Column('timestamptz', { name: 'last_login_at', nullable: true })
  lastLoginAt!: Date | null;

  /** Null without a password (`src/common/sealed-rows.ts`). */
  @Column('bytea', { nullable: true })
  seal!: Buffer | null;
}
