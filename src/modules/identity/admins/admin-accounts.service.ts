import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import {
  AdminAccountsRepository,
  type StoredAdminAccount,
  type StoredPassword,
} from './admin-accounts.repository.js';
import type { PasswordOrigin, PasswordOrigins, AdminEvent } from './admins.types.js';
import { AdminDirectoryService, type Admin } from './admin-directory.service.js';

/** Who set a password that the service has not stored. */
const UNKNOWN_ADMIN = '';

export interface AdminAccount extends Admin {
  /** Domain time. */
  readonly lastLoginAt: Date | null;
}

/** The records in the database about the admins of ADMINS_FILE: a password hash and the time of the last sign-in. */
@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly accounts: AdminAccountsRepository,
    private readonly admins: AdminDirectoryService,
    private readonly clock: Clock,
    private readonly audit: AuditService,
    private readonly seals: CredentialSealsService,
    private readonly domainEvents: DomainEvents,
  ) {}

  /**
   * Null if no password is stored. A sign-in also calls it for unlisted e-mail addresses, so that the duration of the sign-in
   * does not reveal which addresses are listed.
   */
  async findPasswordHash(email: string): Promise<string | null> {
    const account = await this.accounts.findAccount(email);
    if (!account || account.passwordHash === null) return null;
    return this.seals.isAuthentic('admin_account', account) ? account.passwordHash : null;
  }

  async getPasswordOrigins(manager?: EntityManager): Promise<PasswordOrigins> {
    const origins = new Map<string, PasswordOrigin>();
    for (const account of await this.accounts.findAccountsWithPassword(manager)) {
      const origin = this.findOrigin(account);
      if (origin) origins.set(account.email, origin);
    }
    return origins;
  }

  /** Sets the first password of an admin. False, without a change, if one is stored already, even by a concurrent request. */
  async setFirstPassword(tx: Tx, email: string, passwordHash: string, givenBy: AuditActor): Promise<boolean> {
    const by = givenBy.email;
    const at = this.clock.now();
    const password = this.sealed({
      email,
      passwordHash,
      passwordSetBy: by,
      passwordSetAt: at,
      passwordGivenBy: by,
      passwordGivenAt: at,
    });
    if (!(await this.accounts.insertGivenPassword(tx, password))) return false;
    await this.recordPassword(tx, email, givenBy, { hasPassword: false });
    return true;
  }

  /** Stores the password that an admin has chosen. Who gave an earlier one stays recorded. */
  async setOwnPassword(tx: Tx, email: string, passwordHash: string): Promise<void> {
    const { passwordGivenBy = null, passwordGivenAt = null } =
      (await this.accounts.lockAccount(tx, email)) ?? {};
    const password = { email, passwordHash, passwordSetBy: email, passwordSetAt: this.clock.now() };
    await this.accounts.upsertOwnPassword(tx, this.sealed({ ...password, passwordGivenBy, passwordGivenAt }));
    await this.recordPassword(tx, email, { email }, {});
  }

  /**
   * Records in the audit log that the identity provider has signed in the admin's e-mail address with a new subject. The entry has the id
   * of the account, because the request to end the security hold needs it and no list shows it.
   */
  async recordNewIdentity(tx: Tx, { email }: Admin, userId: string): Promise<void> {
    const subject = { type: 'admin', id: email };
    await this.audit.record(tx, { email }, { action: 'admin.new-identity', subject, after: { userId } });
  }

  async recordSignIn(tx: Tx, { email }: Admin): Promise<void> {
    await this.accounts.upsertLastLogin(tx, email, this.clock.now());
  }

  /** Emits an event about the admin of this e-mail address, which `by` has caused. */
  async emitEvent(tx: Tx, name: AdminEvent['name'], email: string, by: AuditActor): Promise<void> {
    const at = this.clock.now();
    const approvedBy = by.approvedBy ?? null;
    await this.domainEvents.emit<AdminEvent>(tx, { name, at, email, setBy: by.email, approvedBy });
  }

  /** Throws TOKEN_INVALID if ADMINS_FILE no longer lists the admin. */
  async getAccount(adminId: string): Promise<AdminAccount> {
    const admin = this.admins.getAdmin(adminId);
    const account = await this.accounts.findAccount(admin.email);
    return { ...admin, lastLoginAt: account?.lastLoginAt ?? null };
  }

  /** Undefined if only the owner of the account has set the password. */
  private findOrigin(account: StoredAdminAccount): PasswordOrigin | undefined {
    // Somebody else has set the password if the service has not written the row.
    if (!this.seals.isAuthentic('admin_account', account))
      return { givenBy: UNKNOWN_ADMIN, givenAt: this.clock.now(), isUnchanged: true };
    const { email, passwordSetBy } = account;
    // A process of an earlier version has filled only the columns about the present password.
    const setByOther = passwordSetBy === email ? null : passwordSetBy;
    const givenBy = account.passwordGivenBy ?? setByOther;
    const givenAt = account.passwordGivenAt ?? account.passwordSetAt;
    if (givenBy === null || givenAt === null) return undefined;
    // A password in ADMINS_FILE takes precedence, so that the stored one opens nothing.
    const isInFile = typeof this.admins.findAdminByEmail(email)?.passwordHash === 'string';
    return { givenBy, givenAt, isUnchanged: !isInFile && passwordSetBy === givenBy };
  }

  private sealed(password: Omit<StoredPassword, 'seal'>): StoredPassword {
    return { ...password, seal: this.seals.sealRow('admin_account', password) };
  }

  private recordPassword(
    tx: Tx,
    email: string,
    setBy: AuditActor,
    before: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record(tx, setBy, {
      action: 'admin.register',
      subject: { type: 'admin', id: email },
      before,
      after: { hasPassword: true, setBy: setBy.email },
    });
  }
}
