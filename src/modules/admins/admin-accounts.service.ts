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

/** The stored data of admins: passwords that another admin has set, and the last sign-ins. */
@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly accounts: AdminAccountsRepository,
    private readonly admins: AdminDirectoryService,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /** The stored password hash, or null. Also queried for an unlisted e-mail address, so that it takes as long. */
  async findPasswordHash(email: string): Promise<string | null> {
    return (await this.accounts.findAccount(email.toLowerCase()))?.passwordHash ?? null;
  }

  /** False if a password is set already, also by a concurrent request. */
  async setFirstPassword(tx: Tx, { email }: Admin, passwordHash: string, setBy: string): Promise<boolean> {
    if (!(await this.accounts.setFirstPassword(tx, email, passwordHash, setBy, this.clock.now())))
      return false;
    await this.audit.record(
      tx,
      { email: setBy },
      {
        action: 'admin.register',
        subject: { type: 'admin', id: email },
        before: { hasPassword: false },
        after: { hasPassword: true },
      },
    );
    return true;
  }

  async recordSignIn(tx: Tx, { email }: Admin): Promise<void> {
    await this.accounts.upsertLastLogin(tx, email, this.clock.now());
  }

  /** Throws TOKEN_INVALID if ADMINS_FILE no longer lists the admin. */
  async get(id: string): Promise<AdminAccount> {
    const admin = this.admins.getAdmin(id);
    const account = await this.accounts.findAccount(admin.email);
    return { ...admin, lastLoginAt: account?.lastLoginAt ?? null };
  }
}
