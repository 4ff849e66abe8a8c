import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';

const ROWS_AT_ONCE = 10_000;

/** Users with e-mail addresses of reserved domains, except admins. Parameter 1: the admins' addresses. */
const TEST_USERS = String.raw`platform_user where email ~ '@(example\.(com|org)|([^@.]+\.)+test)$' and email <> all($1)`;

const OF_TEST_USERS = `subject_type = 'user' and expires_at <= $2
  and subject_id in (select id::text from ${TEST_USERS})`;

/** Rows that can be deleted after parameter 2, in tables of the modules auth and wallets and of the idempotency interceptor. */
const EXPIRED = {
  session: OF_TEST_USERS,
  refresh_token: OF_TEST_USERS,
  idempotency_result: `created_at <= $2 and caller in (select 'user:' || id from ${TEST_USERS})`,
  wallet_nonce: `expires_at <= $2 and address in (
     select address from wallet where user_id in (select id from ${TEST_USERS}))`,
};

@Injectable()
export class TestDataRepository {
  /** Locks test users and skips those that are locked already. */
  async lockTestUsers(tx: Tx, adminEmails: readonly string[], limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(
      `select id from ${TEST_USERS} order by id limit $2 for update skip locked`,
      [adminEmails, limit],
    );
    return rows.map(({ id }) => id);
  }

  async countTestUsers(tx: Tx, adminEmails: readonly string[]): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(`select count(*)::int as count from ${TEST_USERS}`, [
      adminEmails,
    ]);
    return row?.count ?? 0;
  }

  /** Returns the number of deleted rows, at most `ROWS_AT_ONCE`. */
  async deleteExpired(
    tx: Tx,
    table: keyof typeof EXPIRED,
    adminEmails: readonly string[],
    until: Date,
  ): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `with deleted as (
         delete from ${table} where ctid in (
           select ctid from ${table} where ${EXPIRED[table]} limit ${ROWS_AT_ONCE} for update skip locked)
         returning 1)
       select count(*)::int as count from deleted`,
      [adminEmails, until],
    );
    return row?.count ?? 0;
  }
}
