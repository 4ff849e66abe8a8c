import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { deleteSealed, isSealEnded } from '../../core/seals/seals.repository.js';
import { userColumn } from '../users/users.repository.js';
import type { UserStatus } from '../users/users.types.js';
import { ApiKey } from './entities/api-key.entity.js';

/** An API key with its user, as a request is authenticated by it. */
export type StoredApiKey = Pick<
  Required<ApiKey>,
  'id' | 'userId' | 'keyHash' | 'scopes' | 'networks' | 'createdAt' | 'expiresAt'
> &
  Seal & { readonly email: string; readonly userStatus: UserStatus };

/** With columns of the module users, so that the authentication of a request costs one statement. */
const SELECT_KEYS = `
  select id, user_id as "userId", key_hash as "keyHash", scopes, networks, created_at as "createdAt", expires_at as "expiresAt",
         seal, ${isSealEnded('api_key')}, ${userColumn('api_key.user_id', 'email')} as email,
         ${userColumn('api_key.user_id', 'status')} as "userStatus"
    from api_key`;

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** `hashes`: the forms in which the database may hold the key. */
  async findKey(hashes: readonly Buffer[]): Promise<StoredApiKey | undefined> {
    const [key] = await this.dataSource.query<StoredApiKey[]>(
      prepared(`${SELECT_KEYS} where key_hash = any($1::bytea[])`),
      [hashes],
    );
    return key;
  }

  findKeys(ids: readonly string[]): Promise<StoredApiKey[]> {
    return this.dataSource.query(`${SELECT_KEYS} where id = any($1::uuid[])`, [ids]);
  }

  /** The oldest first. */
  findKeysOfUser(userId: string): Promise<ApiKey[]> {
    return this.dataSource.manager.find(ApiKey, {
      where: { userId },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  countKeysOfUser(tx: Tx, userId: string): Promise<number> {
    return tx.countBy(ApiKey, { userId });
  }

  async insertKey(tx: Tx, apiKey: Required<ApiKey>): Promise<void> {
    await tx.insert(ApiKey, apiKey);
  }

  lockKeyOfUser(tx: Tx, userId: string, id: string): Promise<ApiKey | null> {
    return tx.findOne(ApiKey, { where: { id, userId }, lock: { mode: 'for_no_key_update' } });
  }

  /** Locks the rows in the order of their ids, as `ApiKeyUsesRepository` does, so that the transactions cannot deadlock. */
  lockKeysOfUser(tx: Tx, userId: string): Promise<ApiKey[]> {
    return tx.find(ApiKey, {
      where: { userId },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  async deleteKeysOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(ApiKey, { userId });
  }

  /** Deletes a key and ends its seal, so that a copy of its row opens nothing. */
  async deleteKey(tx: Tx, id: string): Promise<void> {
    await deleteSealed(tx, {
      table: 'api_key',
      condition: 'id = $1',
      parameters: [id],
      expiresAt: 'expires_at',
    });
  }
}
