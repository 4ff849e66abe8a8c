import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { AppConfig } from '../../../config/app-config.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { DomainEvents } from '../../../events/domain-events.js';
import type { Principal } from '../../../http/auth/principal.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { SecurityHoldsService } from '../users/account-restrictions.service.js';
import type { SecondFactor, SecurityEvent } from '../users/users.types.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { failNotActive } from '../users/domain/account-restrictions.js';
import { FactorsRepository } from './factors.repository.js';
import type { FactorOwner } from './factors.types.js';

/** What happens to the second factors of an account. */
type FactorStep = 'factor-added' | 'factor-removed' | 'recovery-code-used' | 'second-factor-failed';

/** What differs between users and admins: how the account's row is locked, and what a change of its second factors leads to. */
@Injectable()
export class FactorOwnersService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly accounts: UserAccountsService,
    private readonly admins: AdminDirectoryService,
    private readonly adminAccounts: AdminAccountsService,
    private readonly sessions: SessionsService,
    private readonly holds: SecurityHoldsService,
    private readonly audit: AuditService,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** Throws TOKEN_INVALID for a session that was revoked while this transaction waited: it must not leave a factor behind. */
  async lockOwner(tx: Tx, { type, id, sessionId }: Principal): Promise<void> {
    if (type === 'admin') await this.factors.lockAdmin(tx, id);
    const user = type === 'user' ? await this.accounts.lockIfExists(tx, id) : undefined;
    await this.sessions.requireOpenSession(tx, sessionId);
    if (type === 'user' && user?.status !== 'active') failNotActive();
  }

  /**
   * The first factor of a user starts a hold, because a thief may have added it. The first factor of an admin ends the other sessions,
   * which no second factor has completed, and returns the ids of the ended sessions.
   */
  async startFirstFactor(tx: Tx, principal: Principal): Promise<string[]> {
    if (principal.type === 'admin') return this.sessions.revokeOtherAdminFamilies(tx, principal);
    if (this.config.HOLD_AFTER_FIRST_FACTOR === 'true')
      await this.holds.startHold(tx, principal.id, 'first-factor');
    return [];
  }

  /** Reports the step. A user's hold starts after a removed factor, and after a recovery code, because paper can be stolen. */
  async recordStep(tx: Tx, owner: FactorOwner, step: FactorStep, factor?: SecondFactor): Promise<void> {
    const at = this.clock.now();
    if (owner.type === 'admin') return this.recordStepOfAdmin(tx, owner.id, step, factor);
    if (step === 'factor-removed' || step === 'recovery-code-used')
      await this.holds.startHold(tx, owner.id, step === 'factor-removed' ? step : 'recovery-code');
    const event = { name: `security.${step}`, userId: owner.id, at, ...(factor ? { factor } : {}) } as const;
    await this.domainEvents.emit<SecurityEvent>(tx, event);
  }

  /** After admins have removed all factors of a user: starts a hold and reports it. */
  async recordReset(tx: Tx, userId: string): Promise<void> {
    await this.holds.startHold(tx, userId, 'factor-reset');
    const at = this.clock.now();
    await this.domainEvents.emit<SecurityEvent>(tx, { name: 'security.factors-reset', userId, at });
  }

  private async recordStepOfAdmin(
    tx: Tx,
    id: string,
    step: FactorStep,
    factor?: SecondFactor,
  ): Promise<void> {
    const { email } = this.admins.getAdmin(id);
    const after = factor ? { factor } : {};
    const subject = { type: 'admin', id: email };
    await this.audit.record(tx, { email }, { action: `admin.${step}`, subject, after });
    await this.adminAccounts.emitEvent(tx, `admin.${step}`, email, { email });
  }
}
