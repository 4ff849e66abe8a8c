import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';

/** Users with e-mail addresses of reserved domains, except admins. Parameter 1: the admins' addresses. */
export const TEST_USERS = String.raw`platform_user where email ~ '@(example\.(com|org)|([^@.]+\.)+test)$' and email <> all($1)`;

@Injectable()
export class TestUsersRepository {
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
}
