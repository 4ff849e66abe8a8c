import { Injectable } from '@nestjs/common';
import { Clock, realNow } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { afterCommit } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { isWriteScope } from '../../../http/auth/api-key-scopes.js';
import type { UserPrincipal } from '../../../http/auth/principal.js';
import { RateLimits } from '../../../http/throttling/rate-limits.js';
import { AccountLocksService } from '../users/account-restrictions.service.js';
import { failNotActive } from '../users/domain/account-restrictions.js';
import { SessionsService } from '../auth/sessions.service.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { ApiKeyAuthenticationService } from './api-key-authentication.service.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { newApiKey, prefixOfApiKey, type ApiKeyEvent } from './domain/api-key.js';
import type { CreateApiKeyRequest } from './dto/api-keys.request.js';
import type { ApiKey } from './entities/api-key.entity.js';

const MAX_KEYS_PER_USER = 20;

/** A new key with its plain text, which only the response to its creation contains. */
interface CreatedApiKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** The keys of users. Lifetimes are real time; domain events carry domain time. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly apiKeys: ApiKeysRepository,
    private readonly authentication: ApiKeyAuthenticationService,
    private readonly accounts: UserAccountsService,
    private readonly locks: AccountLocksService,
    private readonly sessions: SessionsService,
    private readonly seals: CredentialSealsService,
    private readonly rateLimits: RateLimits,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** The oldest first. */
  listKeys(userId: string): Promise<ApiKey[]> {
    return this.apiKeys.findKeysOfUser(userId);
  }

  /**
   * Throws VALIDATION_ERROR for an expiry in the past, LIMIT_REACHED, TOKEN_INVALID if the session was revoked since the
   * request was authenticated, FORBIDDEN if the user is not active, ACCOUNT_LOCKED, and for a key that can write
   * SECURITY_HOLD and the errors of the step-up. Session and user are checked again, because the key remains valid after its session ends.
   */
  async createKey(
    { id: userId, sessionId }: Pick<UserPrincipal, 'id' | 'sessionId'>,
    { name, scopes, expiresAt: expiry, networks }: CreateApiKeyRequest,
    requireStepUp: StepUpCheck,
  ): Promise<CreatedApiKey> {
    const createdAt = realNow();
    const expiresAt = expiry ? new Date(expiry) : null;
    if (expiresAt && expiresAt <= createdAt)
      throwError('VALIDATION_ERROR', [{ field: 'expiresAt', message: 'must be in the future' }]);
    const key = newApiKey();
    const apiKey: ApiKey = {
      id: newId(),
      userId,
      name,
      scopes,
      networks: networks ?? null,
      prefix: prefixOfApiKey(key),
      createdAt,
      expiresAt,
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    await this.unitOfWork.runInTransaction(async (tx) => {
      // The lock of the user serialises concurrent requests, so that they cannot exceed the limit together.
      const user = await this.accounts.lockIfExists(tx, userId);
      await this.sessions.requireOpenSession(tx, sessionId);
      if (user?.status !== 'active') return failNotActive();
      if (scopes.some(isWriteScope)) await requireStepUp(tx, { name, scopes, networks, expiresAt: expiry });
      else await this.locks.requireUnlocked(tx, userId);
      if ((await this.apiKeys.countKeysOfUser(tx, userId)) >= MAX_KEYS_PER_USER)
        throwError('LIMIT_REACHED', { limit: MAX_KEYS_PER_USER });
      const row = { ...apiKey, keyHash: this.seals.hashToken(key) };
      await this.apiKeys.insertKey(tx, { ...row, seal: this.seals.sealRow('api_key', row) });
      await this.emitEvent(tx, 'api-key.created', apiKey);
    });
    await this.rateLimits.inheritCountOfDeletedKeys({ keyId: apiKey.id, userId });
    return { apiKey, key };
  }

  /**
   * Throws API_KEY_NOT_FOUND, also for another user's key. This process refuses the key at once, other processes when the
   * database notification arrives.
   */
  async revokeKey(userId: string, id: string): Promise<ApiKey> {
    const revoked = await this.unitOfWork.runInTransaction((tx) => this.revoke(tx, userId, id));
    await this.keepCount(revoked);
    return revoked;
  }

  /** As `revokeKey`, in the caller's transaction, for an admin. The caller calls `keepCount` after the commit. */
  async revoke(tx: Tx, userId: string, id: string): Promise<ApiKey> {
    const apiKey = (await this.apiKeys.lockKeyOfUser(tx, userId, id)) ?? throwError('API_KEY_NOT_FOUND');
    await this.apiKeys.deleteKey(tx, id);
    await this.emitEvent(tx, 'api-key.revoked', apiKey);
    afterCommit(tx, () => this.authentication.forgetKeys([id]));
    return apiKey;
  }

  /** Keeps the count of the requests with a revoked key, so that they count against the keys that its user creates next. */
  async keepCount({ id: keyId, userId }: ApiKey): Promise<void> {
    await this.rateLimits.keepCountOfDeletedKey({ keyId, userId });
  }

  /**
   * Revokes and returns the keys of a user whose e-mail address changes: the former owner of the address must not keep access. The
   * requests with these keys count against the keys that the user creates next. The caller has locked the user's row, so that no key
   * is created meanwhile.
   */
  async revokeAllKeys(tx: Tx, userId: string): Promise<ApiKey[]> {
    const revoked = await this.apiKeys.lockKeysOfUser(tx, userId);
    for (const apiKey of revoked) {
      await this.apiKeys.deleteKey(tx, apiKey.id);
      await this.emitEvent(tx, 'api-key.revoked', apiKey, { byEmailChange: true });
    }
    afterCommit(tx, () => {
      this.authentication.forgetKeys(revoked.map(({ id }) => id));
      void Promise.allSettled(revoked.map((apiKey) => this.keepCount(apiKey)));
    });
    return revoked;
  }

  /** For the erasure of a user: deletes the keys without a domain event. */
  async deleteKeysOfUser(tx: Tx, userId: string): Promise<void> {
    await this.apiKeys.deleteKeysOfUser(tx, userId);
  }

  private async emitEvent(
    tx: Tx,
    name: ApiKeyEvent['name'],
    { userId, name: keyName, prefix }: ApiKey,
    { byEmailChange = false } = {},
  ): Promise<void> {
    const at = this.clock.now();
    const event = { name, userId, at, keyName, prefix, address: null, byEmailChange };
    await this.domainEvents.emit<ApiKeyEvent>(tx, event);
  }
}
