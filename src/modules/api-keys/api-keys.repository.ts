import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { UserStatus } from '../users/users.types.js';
import { ApiKey } from './entities/api-key.entity.js';

/** The fields of an API key and its user by which a request is authenticated. */
export interface ApiKeyState extends Pick<
  ApiKey,
  'id' | 'userId' | 'scopes' | 'networks' | 'createdAt' | 'expiresAt'
> {
  readonly email: string;
  readonly userStatus: UserStatus;
}

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Joins `platform_user` of the module users, so that the authentication of a request costs one statement. */
  async findState(keyHash: Buffer): Promise<ApiKeyState | undefined> {
    const [state] = await this.dataSource.query<ApiKeyState[]>(
      prepared(`select api_key.id, user_id as "userId", scopes, networks, api_key.created_at as "createdAt",
              expires_at as "expiresAt", email, status as "userStatus"
         from api_key join platform_user on platform_user.id = user_id
        where key_hash = $1`),
      [keyHash],
    );
    return state;
  }

  /** Those of the ids whose keys do not exist or have expired, or whose users are not active. */
  async findEndedKeys(ids: readonly string[], now: Date): Promise<string[]> {
    const ended = await this.dataSource.query<{ id: string }[]>(
      `select id from unnest($1::uuid[]) as requested (id)
        where not exists (select from api_key join platform_user on platform_user.id = user_id
                           where api_key.id = requested.id and status = 'active'
                             and (expires_at is null or expires_at > $2))`,
      [ids, now],
    );
    return ended.map(({ id }) => id);
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

  async deleteKey(tx: Tx, id: string): Promise<void> {
    await tx.delete(ApiKey, id);
  }
}
