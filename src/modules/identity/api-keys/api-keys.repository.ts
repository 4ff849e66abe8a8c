import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { ApiKeyUse } from '../../../http/auth/api-key-uses.js';
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

/** Above this number the least recently used networks are deleted. A later use from a deleted network is reported as new. */
const MAX_REMEMBERED_NETWORKS_PER_KEY = 1000;

/** In place of the address of a use, if a key was used from too many new networks at once (`ApiKeyUse.isFromMany`). */
const MANY_NETWORKS = 'more than ten networks within a second';

type LockedKey = Pick<ApiKey, 'id' | 'userId' | 'name' | 'prefix'>;

/** The first use of a key from a network: the key, and the IP address of the use, `unknown` or `MANY_NETWORKS`. */
interface FirstNetworkUse extends LockedKey {
  readonly address: string;
}

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

  /** Locks the rows in the order of their ids, as `storeUses` does, so that the transactions cannot deadlock. */
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

  /** Stores a batch of uses, and returns the uses from networks that are new to their key. Ignores uses of keys that do not exist. */
  async storeUses(tx: Tx, uses: readonly ApiKeyUse[]): Promise<FirstNetworkUse[]> {
    const keys = await this.lockKeys(tx, uses);
    const usesOfKeys = uses.filter(({ keyId }) => keys.has(keyId));
    if (usesOfKeys.length === 0) return [];
    // One array per column, as `unnest` reads them.
    const columns = [
      usesOfKeys.map(({ keyId }) => keyId),
      usesOfKeys.map(({ network }) => network),
      usesOfKeys.map(({ address }) => address),
      usesOfKeys.map(({ at }) => at),
    ];
    const newNetworks = await this.upsertNetworks(tx, columns);
    await tx.query(
      `update api_key set last_used_at = used.at, last_used_from = used.address
         from (select distinct on (id) * from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[])
                as use (id, network, address, at) order by id, at desc) as used
        where api_key.id = used.id and (last_used_at is null or last_used_at < used.at)`,
      columns,
    );
    return usesOfKeys
      .filter(({ keyId, network }) => newNetworks.has(`${keyId} ${network}`))
      .map(({ keyId, address, isFromMany }) => ({
        ...(keys.get(keyId) as LockedKey),
        address: isFromMany ? MANY_NETWORKS : address,
      }));
  }

  /** Locks the rows in the order of their ids, so that processes which store uses of the same keys cannot deadlock. */
  private async lockKeys(tx: Tx, uses: readonly ApiKeyUse[]): Promise<Map<string, LockedKey>> {
    const keys: LockedKey[] = await tx.find(ApiKey, {
      select: { id: true, userId: true, name: true, prefix: true },
      where: { id: In(uses.map(({ keyId }) => keyId)) },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    return new Map(keys.map((key) => [key.id, key]));
  }

  /** Returns `<key id> <network>` of each inserted row; `xmax` of an updated row is not 0. */
  private async upsertNetworks(tx: Tx, columns: unknown[][]): Promise<Set<string>> {
    const upserted = await tx.query<{ keyId: string; network: string; isNew: boolean }[]>(
      `insert into api_key_use as stored (key_id, network, last_used_at)
       select id, network, at from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[])
           as use (id, network, address, at)
           on conflict (key_id, network) do update set last_used_at = greatest(stored.last_used_at, excluded.last_used_at)
       returning key_id as "keyId", network, xmax = 0 as "isNew"`,
      columns,
    );
    const inserted = upserted.filter(({ isNew }) => isNew);
    if (inserted.length > 0) await this.deleteOldNetworks(tx, inserted);
    return new Set(inserted.map(({ keyId, network }) => `${keyId} ${network}`));
  }

  private async deleteOldNetworks(tx: Tx, keys: { keyId: string }[]): Promise<void> {
    await tx.query(
      `delete from api_key_use using (
         select key_id, network,
                row_number() over (partition by key_id order by last_used_at desc, network) as rank
           from api_key_use where key_id = any ($1::uuid[])) as ranked
        where api_key_use.key_id = ranked.key_id and api_key_use.network = ranked.network and rank > $2`,
      [keys.map(({ keyId }) => keyId), MAX_REMEMBERED_NETWORKS_PER_KEY],
    );
  }
}
