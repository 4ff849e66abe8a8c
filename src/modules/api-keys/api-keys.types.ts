import type { BlockList } from 'node:net';
import type { UserStatus } from '../users/users.types.js';
import type { ApiKey } from './entities/api-key.entity.js';

/** The state of a key and its user by which a request is authenticated. */
export interface ApiKeyState extends Pick<
  ApiKey,
  'id' | 'userId' | 'scopes' | 'networks' | 'createdAt' | 'expiresAt'
> {
  readonly email: string;
  readonly userStatus: UserStatus;
}

/** A key as it is cached. */
export interface CachedApiKey extends ApiKeyState {
  /** The addresses from which the key may be used; null: all. */
  readonly allowed: BlockList | null;
}

/** A new key with its plain text, which only the response to its creation contains. */
export interface CreatedApiKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** The first use of a key from a network. */
export interface FirstNetworkUse extends Pick<ApiKey, 'userId' | 'name' | 'prefix'> {
  readonly address: string;
}
