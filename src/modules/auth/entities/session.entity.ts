import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TokenType } from '../auth.types.js';

/** One row for each access token; the id is its claim `jti`. Times are real time. */
@Entity('session')
export class Session {
  @PrimaryColumn('uuid')
  id!: string;

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

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
