import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { AuditService } from '../audit/audit.service.js';
import { AdminAccountsRepository } from './admin-accounts.repository.js';
import { AdminDirectoryService, type Admin } from './admin-directory.service.js';

export interface AdminAccount extends Admin {
  /** Domain time. */
  readonly lastLoginAt: Date | null;
}

/**
 * The records in the database about the admins of ADMINS_FILE: a password hash, which an admin with all permissions sets
 * once, and the time of the last sign-in.
 */
@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly accounts: AdminAccountsRepository,
    private readonly admins: AdminDirectoryService,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /**
   * Null if no password is stored. A sign-in also calls it for unlisted e-mail addresses, so that the duration of the sign-in
   * does not reveal which addresses are listed.
   */
  async findPasswordHash(enteredEmail: string): Promise<string | null> {
    return (await this.accounts.findAccount(enteredEmail.toLowerCase()))?.passwordHash ?? null;
  }

  /** False, without a change, if a password is stored already, even by a concurrent request. */
  async setFirstPassword(
    tx: Tx,
    { email }: Admin,
    passwordHash: string,
    setByEmail: string,
  ): Promise<boolean> {
    if (!(await this.accounts.setFirstPassword(tx, email, passwordHash, setByEmail, this.clock.now())))
      return false;
    await this.audit.record(
      tx,
      { email: setByEmail },
      {
        action: 'admin.register',
        subject: { type: 'admin', id: email },
        before: { hasPassword: false },
        after: { hasPassword: true },
      },
    );
    return true;
  }

  /** The identity provider has signed in the admin's address with a subject that it had never stated for it before. */
  async recordNewIdentity(tx: Tx, { email }: Admin): Promise<void> {
    const subject = { type: 'admin', id: email };
    await this.audit.record(tx, { email }, { action: 'admin.new-identity', subject });
  }

  async recordSignIn(tx: Tx, { email }: Admin): Promise<void> {
    await this.accounts.upsertLastLogin(tx, email, this.clock.now());
  }

  /** Throws TOKEN_INVALID if ADMINS_FILE no longer lists the admin. */
  async getAccount(adminId: string): Promise<AdminAccount> {
    const admin = this.admins.getAdmin(adminId);
    const account = await this.accounts.findAccount(admin.email);
    return { ...admin, lastLoginAt: account?.lastLoginAt ?? null };
  }
}
