import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { SUCCESSOR_REPEAT_SECONDS } from './auth.types.js';
import { RefreshToken } from './entities/refresh-token.entity.js';

export type NewRefreshToken = Omit<RefreshToken, 'spentAt' | 'revokedAt' | 'successor'>;

/** `isRepeatable`: the token was spent so recently that its successor is returned again; null for one that is not spent. */
export type StoredRefreshToken = RefreshToken & { readonly isRepeatable: boolean | null };

@Injectable()
export class RefreshTokensRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insertRefreshToken(tx: Tx, token: NewRefreshToken): Promise<void> {
    await tx.insert(RefreshToken, token);
  }

  async findRefreshToken(
    tokenHash: Buffer,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredRefreshToken | undefined> {
    const [token] = await manager.query<StoredRefreshToken[]>(
      `select token_hash as "tokenHash", family_id as "familyId", wallet_id as "walletId",
              subject_type as "subjectType", subject_id as "subjectId", created_at as "createdAt",
              expires_at as "expiresAt", spent_at as "spentAt", revoked_at as "revokedAt", successor,
              spent_at > clock_timestamp() - interval '${SUCCESSOR_REPEAT_SECONDS} seconds' as "isRepeatable"
         from refresh_token where token_hash = $1`,
      [tokenHash],
    );
    return token;
  }

  /** Marks a token as spent, stores its encrypted successor with it, and inserts the successor. One statement. */
  async replaceRefreshToken(
    tx: Tx,
    spentHash: Buffer,
    encryptedSuccessor: Buffer,
    next: NewRefreshToken,
  ): Promise<void> {
    await tx.query(
      `with spent as (update refresh_token set spent_at = clock_timestamp(), successor = $8 where token_hash = $9)
       insert into refresh_token (token_hash, family_id, wallet_id, subject_type, subject_id, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        ...[next.tokenHash, next.familyId, next.walletId, next.subjectType, next.subjectId],
        ...[next.createdAt, next.expiresAt, encryptedSuccessor, spentHash],
      ],
    );
  }
}
