import { Injectable } from '@nestjs/common';
import { violates } from '../../database/database-error.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import type { UserStatus } from './users.types.js';
import { User } from './entities/user.entity.js';

export interface NewAccount {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly status: UserStatus;
  /** The admin's e-mail address. */
  readonly createdBy: string;
}

export interface StatusChange {
  readonly status: UserStatus;
  readonly reason: string | null;
  /** The admin's e-mail address. */
  readonly by: string;
}

/** What admins do to accounts, in the caller's transaction. */
@Injectable()
export class UserAccountsService {
  constructor(private readonly clock: Clock) {}

  /** The account, locked for the rest of the transaction. Throws USER_NOT_FOUND. */
  async lock(tx: Tx, id: string): Promise<User> {
    const user = await tx.findOne(User, { where: { id }, lock: { mode: 'for_no_key_update' } });
    return user ?? fail('USER_NOT_FOUND');
  }

  /**
   * The same, and nothing that belongs to a user can be added meanwhile: what is being added is waited for.
   * Throws USER_NOT_FOUND.
   */
  async lockAlone(tx: Tx, id: string): Promise<User> {
    const user = await tx.findOne(User, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return user ?? fail('USER_NOT_FOUND');
  }

  /** Throws VALIDATION_ERROR when the e-mail or the id is another user's. */
  async create(tx: Tx, { id, email, status, createdBy }: NewAccount): Promise<void> {
    const now = this.clock.now();
    await tx
      .query(
        `insert into platform_user (id, email, status, created_by, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $5)`,
        [id, email, status, createdBy, now],
      )
      .catch(refuseTaken);
    await this.remember(tx, id, { status, reason: null, by: createdBy }, now);
  }

  /** Throws VALIDATION_ERROR when it is another user's. Nobody has vouched for the new address yet. */
  async changeEmail(tx: Tx, id: string, email: string): Promise<void> {
    await tx
      .query('update platform_user set email = $2, email_verified = false, updated_at = $3 where id = $1', [
        id,
        email,
        this.clock.now(),
      ])
      .catch(refuseTaken);
  }

  /** Every process is told by a trigger: tokens of who is not active are refused from now on. */
  async changeStatus(tx: Tx, id: string, change: StatusChange): Promise<Date> {
    const now = this.clock.now();
    await tx.query('update platform_user set status = $2, updated_at = $3 where id = $1', [
      id,
      change.status,
      now,
    ]);
    await this.remember(tx, id, change, now);
    return now;
  }

  private async remember(tx: Tx, id: string, { status, reason, by }: StatusChange, at: Date): Promise<void> {
    await tx.query(
      `insert into user_status_change (user_id, status, reason, changed_at, changed_by)
       values ($1, $2, $3, $4, $5)`,
      [id, status, reason, at, by],
    );
  }
}

function refuseTaken(error: unknown): never {
  for (const [constraint, field] of [
    ['platform_user_email', 'email'],
    ['platform_user_pkey', 'id'],
  ] as const) {
    if (violates(error, constraint)) fail('VALIDATION_ERROR', [{ field, message: "is another user's" }]);
  }
  throw error;
}
