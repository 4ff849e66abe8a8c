import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { AuditService, type AuditActor } from '../audit/audit.service.js';
import { AdminAccountsRepository } from './admin-accounts.repository.js';
import type { PasswordOrigins } from './admins.types.js';
import { AdminDirectoryService, type Admin } from './admin-directory.service.js';

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
  ) {}

  /**
   * Null if no password is stored. A sign-in also calls it for unlisted e-mail addresses, so that the duration of the sign-in
   * does not reveal which addresses are listed.
   */
  async findPasswordHash(enteredEmail: string): Promise<string | null> {
    return (await this.accounts.findAccount(enteredEmail.toLowerCase()))?.passwordHash ?? null;
  }

  /** A password in ADMINS_FILE takes precedence, so that a stored one of the same admin opens nothing. */
  async findPasswordOrigins(manager?: EntityManager): Promise<PasswordOrigins> {
    const accounts = await this.accounts.findGivenPasswords(manager);
    return new Map(
      accounts.flatMap((account) => {
        const { email, passwordSetBy } = account;
        const givenBy = account.passwordGivenBy ?? passwordSetBy;
        const givenAt = account.passwordGivenAt ?? account.passwordSetAt;
        if (givenBy === null || givenAt === null) return [];
        const isInFile = typeof this.admins.findAdminByEmail(email)?.passwordHash === 'string';
        return [[email, { givenBy, givenAt, isUnchanged: !isInFile && passwordSetBy === givenBy }]];
      }),
    );
  }

  /** Sets the first password of an admin. False, without a change, if one is stored already, even by a concurrent request. */
  async setFirstPassword(tx: Tx, email: string, passwordHash: string, givenBy: AuditActor): Promise<boolean> {
    if (!(await this.accounts.setGivenPassword(tx, email, passwordHash, givenBy.email, this.clock.now())))
      return false;
    await this.recordPassword(tx, email, givenBy, { hasPassword: false });
    return true;
  }

  async setOwnPassword(tx: Tx, email: string, passwordHash: string): Promise<void> {
    await this.accounts.setOwnPassword(tx, email, passwordHash, this.clock.now());
    await this.recordPassword(tx, email, { email }, {});
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
