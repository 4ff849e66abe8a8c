import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import type { UserStatus } from './users.types.js';
import { User } from './entities/user.entity.js';

@Injectable()
export class UsersService {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly clock: Clock,
  ) {}

  /** The user of an e-mail address, made on the first sign-in; two first sign-ins at once make one user. */
  async signIn(
    tx: Tx,
    { email, emailVerified, name }: { email: string; emailVerified: boolean; name: string | null },
  ): Promise<User> {
    const now = this.clock.now();
    const [row] = await tx.query<{ id: string }[]>(
      `insert into platform_user (id, email, full_name, created_at, updated_at, last_login_at, email_verified)
       values ($1, $2, $3, $4, $4, $4, $5)
       on conflict on constraint platform_user_email do update
         set last_login_at = excluded.last_login_at,
             full_name = coalesce(platform_user.full_name, excluded.full_name),
             email_verified = platform_user.email_verified or excluded.email_verified
       returning id`,
      [newId(), email, name, now, emailVerified],
    );
    return tx.getRepository(User).findOneByOrFail({ id: row?.id ?? fail('USER_CREATION_ERROR') });
  }

  /** As `get`, inside the caller's transaction: a second connection is never asked for while one is held. */
  async getIn(tx: Tx, id: string): Promise<User> {
    return (await tx.getRepository(User).findOneBy({ id })) ?? fail('USER_NOT_FOUND');
  }

  /**
   * Refuses with FORBIDDEN who is not active, and keeps them active until the transaction ends: whoever deactivates
   * them meanwhile waits, and then sees what was begun. A request is let in before its transaction begins.
   */
  async requireActive(tx: Tx, id: string): Promise<void> {
    if ((await this.lockStatus(tx, id)) !== 'active')
      fail('FORBIDDEN', undefined, { message: 'This account is not active.' });
  }

  /** A user's status, which nobody changes before the transaction ends; undefined without such a user. */
  async lockStatus(tx: Tx, id: string): Promise<UserStatus | undefined> {
    const [user] = await tx.query<{ status: UserStatus }[]>(
      prepared('select status from platform_user where id = $1 for share'),
      [id],
    );
    return user?.status;
  }

  /** Throws USER_NOT_FOUND. */
  async get(id: string): Promise<User> {
    return (await this.users.findOneBy({ id })) ?? fail('USER_NOT_FOUND');
  }
}
