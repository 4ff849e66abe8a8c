import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { endSeals, findOneSealed, findSealed } from '../../core/seals/seals.repository.js';
import { AdminAccountRecord } from './entities/admin-account.entity.js';

export type StoredAdminAccount = AdminAccountRecord & Seal;

/** The columns about a password, and its seal. */
export type StoredPassword = Omit<AdminAccountRecord, 'lastLoginAt'>;

@Injectable()
export class AdminAccountsRepository {
  constructor(private readonly dataSource: DataSource) {}

  findAccount(email: string): Promise<StoredAdminAccount | undefined> {
    return findOneSealed(this.dataSource.manager, AdminAccountRecord, 'email = $1', [email]);
  }

  lockAccount(tx: Tx, email: string): Promise<StoredAdminAccount | undefined> {
    return findOneSealed(tx, AdminAccountRecord, 'email = $1 for no key update', [email]);
  }

  /** The accounts with a password. */
  findAccountsWithPassword(manager: EntityManager = this.dataSource.manager): Promise<StoredAdminAccount[]> {
    return findSealed(manager, AdminAccountRecord, 'password_hash is not null', []);
  }

  /** False, without a change, if the account has a password already. */
  async insertGivenPassword(tx: Tx, password: StoredPassword): Promise<boolean> {
    const { email, passwordHash, passwordGivenBy, passwordGivenAt, seal } = password;
    const rows = await tx.query<unknown[]>(
      `insert into admin_account as account
              (email, password_hash, password_set_by, password_set_at, password_given_by, password_given_at, seal)
       values ($1, $2, $3, $4, $3, $4, $5)
       on conflict (email) do update
         set password_hash = excluded.password_hash,
             password_set_by = excluded.password_set_by,
             password_set_at = excluded.password_set_at,
             password_given_by = excluded.password_given_by,
             password_given_at = excluded.password_given_at,
             seal = excluded.seal
         where account.password_hash is null
       returning email`,
      [email, passwordHash, passwordGivenBy, passwordGivenAt, seal],
    );
    return rows.length > 0;
  }

  /** Stores the password that its owner has chosen, and ends the seal of the former one. The caller has locked the account. */
  async upsertOwnPassword(tx: Tx, password: StoredPassword): Promise<void> {
    await endSeals(tx, { table: 'admin_account', condition: 'email = $1', parameters: [password.email] });
    await tx.upsert(AdminAccountRecord, password, ['email']);
  }

  async upsertLastLogin(tx: Tx, email: string, lastLoginAt: Date): Promise<void> {
    await tx.upsert(AdminAccountRecord, { email, lastLoginAt }, ['email']);
  }
}
