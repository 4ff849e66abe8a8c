import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TokenType } from '../auth.types.js';

/** Times are real time. */
@Entity('refresh_token')
export class RefreshToken {
  /** SHA-256 of the token. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'family_id' })
  familyId!: string;

  @Column('uuid', { name: 'wallet_id', nullable: true })
  walletId!: string | null;

  @Column('text', { name: 'subject_type' })
  subjectType!: TokenType;

  @Column('text', { name: 'subject_id' })
  subjectId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'spent_at', nullable: true })
  spentAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** The token that replaces this one, encrypted with this one. */
  @Column('bytea', { nullable: true })
  successor!: Buffer | null;
}
