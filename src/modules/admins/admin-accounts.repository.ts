import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { AdminAccountRecord } from './entities/admin-account.entity.js';

@Injectable()
export class AdminAccountsRepository {
  constructor(
    @InjectRepository(AdminAccountRecord) private readonly accounts: Repository<AdminAccountRecord>,
  ) {}

  findAccount(email: string): Promise<AdminAccountRecord | null> {
    return this.accounts.findOneBy({ email });
  }

  /** False if the account has a password already. */
  async setFirstPassword(
    tx: Tx,
    email: string,
    passwordHash: string,
    setByEmail: string,
    passwordSetAt: Date,
  ): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `insert into admin_account (email, password_hash, password_set_by, password_set_at) values ($1, $2, $3, $4)
       on conflict (email) do update
         set password_hash = excluded.password_hash,
             password_set_by = excluded.password_set_by,
             password_set_at = excluded.password_set_at
         where admin_account.password_hash is null
       returning email`,
      [email, passwordHash, setByEmail, passwordSetAt],
    );
    return rows.length > 0;
  }

  async upsertLastLogin(tx: Tx, email: string, lastLoginAt: Date): Promise<void> {
    await tx.upsert(AdminAccountRecord, { email, lastLoginAt }, ['email']);
  }
}
