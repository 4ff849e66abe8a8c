import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { AddressesService } from '../../funds/addresses/addresses.service.js';
import type { AddressEntry } from '../../funds/addresses/addresses.repository.js';
import { ApiKeysService } from '../../identity/api-keys/api-keys.service.js';
import type { ApiKey } from '../../identity/api-keys/entities/api-key.entity.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import type { UserSession } from '../../identity/auth/auth.types.js';
import type { SignIn } from '../../identity/auth/entities/session.entity.js';
import { UserSessionsService } from '../../identity/auth/user-sessions.service.js';
import type { WebhookSubscription } from '../../messaging/webhooks/entities/webhook.entity.js';
import { WebhooksService } from '../../messaging/webhooks/webhooks.service.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';
import { UsersService } from '../../identity/users/users.service.js';

/** The sessions, sign-ins, API keys, addresses and webhooks of users, for admins. Every method throws USER_NOT_FOUND. */
@Injectable()
export class UserCredentialsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly users: UsersService,
    private readonly accounts: UserAccountsService,
    private readonly sessions: UserSessionsService,
    private readonly apiKeys: ApiKeysService,
    private readonly addresses: AddressesService,
    private readonly subscriptions: WebhooksService,
    private readonly audit: AuditService,
  ) {}

  async listSessions(userId: string): Promise<UserSession[]> {
    await this.users.get(userId);
    return this.sessions.listSessions({ id: userId, sessionId: null });
  }

  async listSignIns(userId: string): Promise<SignIn[]> {
    await this.users.get(userId);
    return this.sessions.listSignIns(userId);
  }

  async listApiKeys(userId: string): Promise<ApiKey[]> {
    await this.users.get(userId);
    return this.apiKeys.listKeys(userId);
  }

  async listAddresses(userId: string): Promise<AddressEntry[]> {
    await this.users.get(userId);
    return this.addresses.listEntries(userId);
  }

  async listWebhooks(userId: string): Promise<WebhookSubscription[]> {
    await this.users.get(userId);
    return this.subscriptions.listSubscriptions(userId);
  }

  /** Revokes a key and notifies the user. Throws API_KEY_NOT_FOUND. */
  async revokeApiKey(
    userId: string,
    keyId: string,
    reason: string | undefined,
    admin: AuditActor,
  ): Promise<ApiKey> {
    const revoked = await this.unitOfWork.runInTransaction(async (tx) => {
      await this.accounts.lock(tx, userId);
      const apiKey = await this.apiKeys.revoke(tx, userId, keyId);
      const { name, prefix, scopes } = apiKey;
      await this.audit.record(tx, admin, {
        action: 'api-key.revoke',
        subject: { type: 'user', id: userId },
        reason,
        before: { keyId, name, prefix, scopes },
        after: { keyId, revoked: true },
      });
      return apiKey;
    });
    await this.apiKeys.keepCount(revoked);
    return revoked;
  }

  /** Removes an entry of the address book and notifies the user. Throws ADDRESS_NOT_FOUND. */
  removeAddress(
    userId: string,
    addressId: string,
    reason: string | undefined,
    admin: AuditActor,
  ): Promise<AddressEntry> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.accounts.lock(tx, userId);
      const entry = await this.addresses.removeEntry(tx, userId, addressId);
      const { label, address, network } = entry;
      await this.audit.record(tx, admin, {
        action: 'address.remove',
        subject: { type: 'user', id: userId },
        reason,
        before: { addressId, label, address, network },
        after: { addressId, removed: true },
      });
      return entry;
    });
  }
}
