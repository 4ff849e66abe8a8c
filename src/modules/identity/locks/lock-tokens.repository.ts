import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteExpiredRows } from '../../../jobs/delete-batch.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { deleteSealed, findOneSealed } from '../../core/seals/seals.repository.js';
import { LockToken } from './entities/lock-token.entity.js';

@Injectable()
export class LockTokensRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insertToken(token: LockToken): Promise<void> {
    await this.dataSource.manager.insert(LockToken, token);
  }

  /** `hashes`: the forms in which the database may hold the token. */
  findToken(hashes: readonly Buffer[]): Promise<(LockToken & Seal) | undefined> {
    return findOneSealed(this.dataSource.manager, LockToken, 'token_hash = any($1::bytea[])', [hashes]);
  }

  /** Deletes a token and ends its seal, so that a copy of its row locks nothing. False if another request has done so. */
  async deleteToken(tx: Tx, { tokenHash }: LockToken): Promise<boolean> {
    const deleted = await deleteSealed(tx, {
      table: 'lock_token',
      condition: 'token_hash = $1',
      parameters: [tokenHash],
      expiresAt: 'expires_at',
    });
    return deleted > 0;
  }

  async deleteTokensOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(LockToken, { userId });
  }

  deleteExpired(until: Date, stopping: AbortSignal): Promise<void> {
    return deleteExpiredRows(this.dataSource, 'lock_token', until, stopping);
  }
}
