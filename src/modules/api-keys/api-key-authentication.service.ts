import { Injectable } from '@nestjs/common';
import { realNow } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import type { UserPrincipal } from '../../http/auth/principal.js';
import { failNotActive } from '../auth/principals.service.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { CachedApiKey } from './api-keys.types.js';
import { addressesOf, containsAddress } from './domain/allowed-networks.js';
import { hashOfApiKey, isWellFormedApiKey } from './domain/api-key-format.js';

const MAX_CACHED_KEYS = 50_000;

/**
 * Finds the user of an API key. Keys are cached as sessions are: a request costs no query, and a database notification about
 * the key (topic `api-key`) or its user removes the entry. While notifications are not reliable, every request queries.
 */
@Injectable()
export class ApiKeyAuthenticationService {
  private readonly keyByHash = new Map<string, CachedApiKey>();
  private readonly hashById = new Map<string, string>();
  private readonly idsByUser = new Map<string, Set<string>>();
  /** Counts notifications: a key that was read while one arrived is not cached. */
  private changes = 0;

  constructor(
    private readonly apiKeys: ApiKeysRepository,
    private readonly notifications: PgNotifications,
  ) {
    notifications.subscribe('api-key', (id) => this.forgetKeys([id]));
    notifications.subscribe('user', (userId) => this.forgetKeys(this.idsByUser.get(userId) ?? []));
    notifications.onReconnect(() => this.forgetKeys(this.hashById.keys()));
  }

  /**
   * The principal of a key that is used from an IP address. Throws TOKEN_INVALID for a mistyped, unknown or revoked key,
   * TOKEN_EXPIRED, and FORBIDDEN from another network than the key allows or if the user is not active.
   */
  async authenticate(key: string, address: string | undefined): Promise<UserPrincipal> {
    if (!isWellFormedApiKey(key)) failInvalid();
    const apiKey = (await this.findKey(hashOfApiKey(key))) ?? failInvalid();
    const { id, userId, email, scopes, createdAt, expiresAt, allowed, userStatus } = apiKey;
    if (expiresAt && expiresAt <= realNow())
      fail('TOKEN_EXPIRED', undefined, { message: 'The API key has expired.' });
    if (allowed && !containsAddress(allowed, address))
      fail('FORBIDDEN', undefined, { message: 'The API key does not allow this network address.' });
    if (userStatus !== 'active') failNotActive();
    const principal = { type: 'user', id: userId, email, sessionId: id } as const;
    return { ...principal, issuedAt: createdAt, expiresAt, apiKey: { id, scopes } };
  }

  /**
   * Those of the keys that were revoked, have expired, or whose user is not active. For connections that a key has opened, to
   * be called after notifications of the topics `api-key` and `user`. Reads the database, not the cache.
   */
  findEndedKeys(ids: readonly string[]): Promise<string[]> {
    return this.apiKeys.findEndedKeys(ids, realNow());
  }

  /** Removes keys from the cache. Called after a change by this process, whose notification arrives a moment later. */
  forgetKeys(ids: Iterable<string>): void {
    this.changes++;
    for (const id of [...ids]) {
      const hash = this.hashById.get(id);
      if (hash === undefined) continue;
      const userId = this.keyByHash.get(hash)?.userId ?? '';
      this.hashById.delete(id);
      this.keyByHash.delete(hash);
      const siblings = this.idsByUser.get(userId);
      siblings?.delete(id);
      if (siblings?.size === 0) this.idsByUser.delete(userId);
    }
  }

  private async findKey(keyHash: Buffer): Promise<CachedApiKey | undefined> {
    const hash = keyHash.toString('base64url');
    const cached = this.notifications.isCurrent ? this.keyByHash.get(hash) : undefined;
    if (cached) return cached;
    const before = this.changes;
    const state = await this.apiKeys.findState(keyHash);
    if (!state) return undefined;
    const apiKey = { ...state, allowed: state.networks && addressesOf(state.networks) };
    if (this.changes === before && this.notifications.isCurrent) this.cacheKey(hash, apiKey);
    return apiKey;
  }

  private cacheKey(hash: string, apiKey: CachedApiKey): void {
    if (this.keyByHash.size >= MAX_CACHED_KEYS)
      for (const cache of [this.keyByHash, this.hashById, this.idsByUser]) cache.clear();
    const { id, userId } = apiKey;
    this.keyByHash.set(hash, apiKey);
    this.hashById.set(id, hash);
    this.idsByUser.set(userId, (this.idsByUser.get(userId) ?? new Set()).add(id));
  }
}

function failInvalid(): never {
  fail('TOKEN_INVALID', undefined, { message: 'The API key is not valid.' });
}
