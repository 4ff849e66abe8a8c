import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
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

  /** The accounts whose first password another admin has set. */
  findGivenPasswords(manager: EntityManager = this.accounts.manager): Promise<AdminAccountRecord[]> {
    // A process of an earlier version fills only the columns about the present password.
    return manager
      .createQueryBuilder(AdminAccountRecord, 'account')
      .where('account.password_given_by is not null or account.password_set_by <> account.email')
      .getMany();
  }

  /** False, without a change, if the account has a password already. */
  async setGivenPassword(
    tx: Tx,
    email: string,
    passwordHash: string,
    givenBy: string,
    givenAt: Date,
  ): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `insert into admin_account as account
              (email, password_hash, password_set_by, password_set_at, password_given_by, password_given_at)
       values ($1, $2, $3, $4, $3, $4)
       on conflict (email) do update
         set password_hash = excluded.password_hash,
             password_set_by = excluded.password_set_by,
             password_set_at = excluded.password_set_at,
             password_given_by = excluded.password_given_by,
             password_given_at = excluded.password_given_at
         where account.password_hash is null
       returning email`,
      [email, passwordHash, givenBy, givenAt],
    );
    return rows.length > 0;
  }

  /** Stores the password that its owner has chosen. Who gave an earlier one stays recorded. */
  async setOwnPassword(tx: Tx, email: string, passwordHash: string, passwordSetAt: Date): Promise<void> {
    await tx.upsert(AdminAccountRecord, { email, passwordHash, passwordSetBy: email, passwordSetAt }, [
      'email',
    ]);
  }

  async upsertLastLogin(tx: Tx, email: string, lastLoginAt: Date): Promise<void> {
    await tx.upsert(AdminAccountRecord, { email, lastLoginAt }, ['email']);
  }
}
