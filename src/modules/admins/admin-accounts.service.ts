import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { AdminDirectoryService, type Admin } from './admin-directory.service.js';

export interface AdminAccount extends Admin {
  /** Domain time. */
  readonly lastLoginAt: Date | null;
}

/** What is kept here of the admins whom the configuration lists: passwords set by another admin, and sign-ins. */
@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly admins: AdminDirectoryService,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /** The hash that was set here, or null. Looked up for any e-mail address, so that an unknown one takes as long. */
  async passwordHashOf(email: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ password_hash: string | null }[]>(
      'select password_hash from admin_account where email = $1',
      [email.toLowerCase()],
    );
    return row?.password_hash ?? null;
  }

  /** False when one is set already: of two admins who set it at once, one does. */
  async setFirstPassword(tx: Tx, { email }: Admin, passwordHash: string, setBy: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `insert into admin_account (email, password_hash, password_set_by, password_set_at) values ($1, $2, $3, $4)
       on conflict (email) do update
         set password_hash = excluded.password_hash,
             password_set_by = excluded.password_set_by,
             password_set_at = excluded.password_set_at
         where admin_account.password_hash is null
       returning email`,
      [email, passwordHash, setBy, this.clock.now()],
    );
    if (rows.length === 0) return false;
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

  async signedIn(tx: Tx, { email }: Admin): Promise<void> {
    await tx.query(
      `insert into admin_account (email, last_login_at) values ($1, $2)
       on conflict (email) do update set last_login_at = excluded.last_login_at`,
      [email, this.clock.now()],
    );
  }

  /** A listed admin. Throws TOKEN_INVALID when the configuration does not list them any more. */
  async get(id: string): Promise<AdminAccount> {
    const admin = this.admins.byId(id) ?? fail('TOKEN_INVALID');
    const [row] = await this.dataSource.query<{ last_login_at: Date | null }[]>(
      'select last_login_at from admin_account where email = $1',
      [admin.email],
    );
    return { ...admin, lastLoginAt: row?.last_login_at ?? null };
  }
}
