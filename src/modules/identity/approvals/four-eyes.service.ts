import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig, ConfigError } from '../../../config/app-config.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { UninvolvedAdmins } from '../../core/alerts/alerts.types.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { SecurityHoldsService } from '../users/account-restrictions.service.js';
import {
  failFourEyes,
  requireSecondPerson,
  TRUSTED_AFTER_MS,
  type AccountFacts,
} from './domain/second-person.js';

/** Decides who can be the second person of a change. */
@Injectable()
export class FourEyesService extends UninvolvedAdmins implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly admins: AdminDirectoryService,
    private readonly accounts: AdminAccountsService,
    private readonly holds: SecurityHoldsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Throws in production if ADMINS_FILE has too few admins for approvals. */
  onModuleInit(): void {
    if (!this.config.isProduction || !this.isOn || this.admins.countApprovers() >= 2) return;
    throw new ConfigError([
      'ADMINS_FILE lists fewer than two active admins with all permissions (*), so that no change can be approved. ' +
        'Add a second one, or set FOUR_EYES=off and FOUR_EYES_ACCEPTED_RISK=one-admin.',
    ]);
  }

  /** False with FOUR_EYES=off: a change is made at once, by one admin. */
  get isOn(): boolean {
    return this.config.FOUR_EYES === 'on';
  }

  /** Throws FOUR_EYES_REQUIRED unless `second` can decide about what `first` has requested or done. */
  async requireSecondPerson(first: string | null, second: string, manager?: EntityManager): Promise<void> {
    this.checkSecondPerson(await this.getAccountFacts(manager), first, second);
  }

  /** The facts for `checkSecondPerson`. A caller that reads under a lock who the first person is gets the facts before it locks. */
  async getAccountFacts(manager?: EntityManager): Promise<AccountFacts> {
    const origins = await this.accounts.getPasswordOrigins(manager);
    const held = await this.holds.listHeldEmails(this.admins.listEmails(), manager);
    const trustedFrom = new Date(this.clock.now().getTime() - TRUSTED_AFTER_MS);
    const resets = await this.audit.listActionsSince('admin.factor-reset', trustedFrom, manager);
    return {
      origins,
      resets: resets.flatMap(({ subjectId: email, actor, approvedBy }) =>
        [actor, approvedBy].flatMap((by) => (by === null ? [] : [{ email, by }])),
      ),
      held: new Set(held),
    };
  }

  /** As `requireSecondPerson`, with facts that were read before. `first` may have the spelling of a record of an earlier version. */
  checkSecondPerson(facts: AccountFacts, first: string | null, second: string): void {
    const firstEmail = first && (this.admins.findAdminByEmail(first)?.email ?? first);
    requireSecondPerson(facts, firstEmail, second, this.clock.now());
  }

  async requireUninvolved(tx: Tx, email: string, involved: readonly string[]): Promise<void> {
    const facts = await this.getAccountFacts(tx);
    this.checkSecondPerson(facts, null, email);
    for (const actor of involved) this.checkSecondPerson(facts, actor, email);
  }

  /** Throws FOUR_EYES_REQUIRED for an admin who pays themself as a user. */
  refuseOwnMoney(userEmail: string, admin: string): void {
    const owner = this.admins.findAdminByEmail(userEmail)?.email ?? userEmail;
    if (this.isOn && owner === admin) failFourEyes('same-person');
  }
}
