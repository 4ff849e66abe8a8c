import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { BlockList } from 'node:net';
import { Strategy } from 'passport-custom';
import { realNow } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { ipNetworksOf } from '../../../config/ip-networks.js';
import { PgNotifications } from '../../../database/pg-notifications.js';
import { NotifiedCache } from '../../../http/auth/notified-cache.js';
import type { UserPrincipal } from '../../../http/auth/principal.js';
import { ApplicationStrategy, bearerToken } from '../../../http/auth/strategies.js';
import { networkAddress } from '../../../http/throttling/caller-address.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { failNotActive } from '../users/domain/account-restrictions.js';
import { ApiKeysRepository, type StoredApiKey } from './api-keys.repository.js';
import { containsAddress, isWellFormedApiKey } from './domain/api-key.js';

const MAX_CACHED_KEYS = 50_000;

interface CachedApiKey extends Pick<
  StoredApiKey,
  'id' | 'userId' | 'scopes' | 'networks' | 'createdAt' | 'expiresAt' | 'email' | 'userStatus'
> {
  /** The networks from which the key may be used; null for all. */
  readonly allowedNetworks: BlockList | null;
}

/** Finds the user of an API key. Keys are cached (`NotifiedCache`), so that a request costs no query. */
@Injectable()
export class ApiKeyAuthenticationService {
  private readonly cache: NotifiedCache<CachedApiKey>;

  constructor(
    private readonly apiKeys: ApiKeysRepository,
    private readonly seals: CredentialSealsService,
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
    const apiKey = (await this.findKey(key)) ?? failInvalid();
    const { id, userId, email, scopes, networks, createdAt, expiresAt, allowedNetworks, userStatus } = apiKey;
    if (expiresAt && expiresAt <= realNow())
      throwError('TOKEN_EXPIRED', undefined, { message: 'The API key has expired.' });
    requireAllowedAddress(allowedNetworks, address);
    if (userStatus !== 'active') failNotActive();
    // A key has no session; its own id takes the place of the session's id.
    const principal = { type: 'user', id: userId, email, sessionId: id } as const;
    return { ...principal, issuedAt: createdAt, expiresAt, apiKey: { id, scopes, networks } };
  }

  /**
   * The keys among `ids` that were revoked, have expired, or whose user is not active. Reads the database, not the cache: it
   * is called after notifications of the topics `api-key` and `user`, for connections that a key has opened.
   */
  async listEndedKeys(ids: readonly string[]): Promise<string[]> {
    const now = realNow();
    const keys = await this.apiKeys.findKeys(ids);
    const valid = keys.filter(
      (key) =>
        key.userStatus === 'active' &&
        (key.expiresAt === null || key.expiresAt > now) &&
        this.seals.isAuthentic('api_key', key),
    );
    const validIds = new Set(valid.map(({ id }) => id));
    return ids.filter((id) => !validIds.has(id));
  }

  /** Throws FORBIDDEN for an address outside of the networks to which a key is bound; null: every address is allowed. */
  requireAllowedNetwork(networks: readonly string[] | null, address: string | undefined): void {
    requireAllowedAddress(networks && ipNetworksOf(networks), address);
  }

  /** Removes keys from the cache. Called after a change by this process, whose notification arrives a moment later. */
  forgetKeys(ids: Iterable<string>): void {
    this.cache.forget(ids);
  }

  /** Undefined for an unknown key, and for a row that the service has not written. The cache has the hash in place of the key. */
  private findKey(key: string): Promise<CachedApiKey | undefined> {
    const hashes = this.seals.hashesOfToken(key);
    const [hash] = hashes as [Buffer];
    return this.cache.find(hash.toString('base64url'), async () => {
      const stored = await this.apiKeys.findKey(hashes);
      if (!stored || !this.seals.isAuthentic('api_key', stored)) return undefined;
      const { id, userId, scopes, networks, createdAt, expiresAt, email, userStatus } = stored;
      const allowedNetworks = networks && ipNetworksOf(networks);
      return { id, userId, scopes, networks, createdAt, expiresAt, email, userStatus, allowedNetworks };
    });
  }
}

function requireAllowedAddress(networks: BlockList | null, address: string | undefined): void {
  if (networks && !containsAddress(networks, address))
    throwError('FORBIDDEN', undefined, { message: 'The API key does not allow this network address.' });
}

function failInvalid(): never {
  throwError('TOKEN_INVALID', undefined, { message: 'The API key is not valid.' });
}

/** Authenticates by an API key in the Authorization header. */
@Injectable()
export class ApiKeyStrategy extends ApplicationStrategy(Strategy, 'api-key') {
  constructor(private readonly authentication: ApiKeyAuthenticationService) {
    super();
  }

  validate(request: Request): Promise<UserPrincipal> {
    return this.authentication.authenticate(bearerToken(request), networkAddress(request));
  }
}
