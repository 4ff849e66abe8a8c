import type { BlockList } from 'node:net';
import { Injectable } from '@nestjs/common';
import { realNow } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { ipNetworksOf } from '../../config/ip-networks.js';
import { NotifiedCache } from '../../http/auth/notified-cache.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import type { UserPrincipal } from '../../http/auth/principal.js';
import { failNotActive } from '../users/users.service.js';
import { ApiKeysRepository, type ApiKeyState } from './api-keys.repository.js';
import { containsAddress } from './domain/allowed-networks.js';
import { hashOfApiKey, isWellFormedApiKey } from './domain/api-key-format.js';

const MAX_CACHED_KEYS = 50_000;

interface CachedApiKey extends ApiKeyState {
  /** The networks from which the key may be used; null for all. */
  readonly allowedNetworks: BlockList | null;
}

/** Finds the user of an API key. Keys are cached (`NotifiedCache`), so that a request costs no query. */
@Injectable()
export class ApiKeyAuthenticationService {
  private readonly cache: NotifiedCache<CachedApiKey>;

  constructor(
    private readonly apiKeys: ApiKeysRepository,
    notifications: PgNotifications,
  ) {
    this.cache = new NotifiedCache(notifications, {
      topic: 'api-key',
      maxEntries: MAX_CACHED_KEYS,
      idsOf: ({ id, userId }) => [id, userId],
    });
  }

  /**
   * The principal of a key that is used from an IP address. Throws TOKEN_INVALID for a mistyped, unknown or revoked key,
   * TOKEN_EXPIRED, and FORBIDDEN from another network than the key allows or if the user is not active.
   */
  async authenticate(key: string, address: string | undefined): Promise<UserPrincipal> {
    if (!isWellFormedApiKey(key)) failInvalid();
    const apiKey = (await this.findKey(hashOfApiKey(key))) ?? failInvalid();
    const { id, userId, email, scopes, createdAt, expiresAt, allowedNetworks, userStatus } = apiKey;
    if (expiresAt && expiresAt <= realNow())
      fail('TOKEN_EXPIRED', undefined, { message: 'The API key has expired.' });
    if (allowedNetworks && !containsAddress(allowedNetworks, address))
      fail('FORBIDDEN', undefined, { message: 'The API key does not allow this network address.' });
    if (userStatus !== 'active') failNotActive();
    // A key has no session; its own id takes the place of the session's id.
    const principal = { type: 'user', id: userId, email, sessionId: id } as const;
    return { ...principal, issuedAt: createdAt, expiresAt, apiKey: { id, scopes } };
  }

  /**
   * The keys among `ids` that were revoked, have expired, or whose user is not active. Reads the database, not the cache: it
   * is called after notifications of the topics `api-key` and `user`, for connections that a key has opened.
   */
  findEndedKeys(ids: readonly string[]): Promise<string[]> {
    return this.apiKeys.findEndedKeys(ids, realNow());
  }

  /** Removes keys from the cache. Called after a change by this process, whose notification arrives a moment later. */
  forgetKeys(ids: Iterable<string>): void {
    this.cache.forget(ids);
  }

  private findKey(keyHash: Buffer): Promise<CachedApiKey | undefined> {
    return this.cache.find(keyHash.toString('base64url'), async () => {
      const state = await this.apiKeys.findState(keyHash);
      return state && { ...state, allowedNetworks: state.networks && ipNetworksOf(state.networks) };
    });
  }
}

function failInvalid(): never {
  fail('TOKEN_INVALID', undefined, { message: 'The API key is not valid.' });
}
