import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A token that locks the account of a user, once. Its use deletes the row. Times are real times. */
@Entity('lock_token')
export class LockToken {
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('bytea')
  seal!: Buffer;
}
