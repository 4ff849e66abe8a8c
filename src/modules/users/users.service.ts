import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { DomainEvents } from '../../events/domain-events.js';
import type { User } from './entities/user.entity.js';
import type { UserEvent } from './user.events.js';
import { UsersRepository } from './users.repository.js';
import type { UserStatus } from './users.types.js';

@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly clock: Clock,
    private readonly domainEvents: DomainEvents,
  ) {}

  /**
   * Records a sign-in and returns the user of the e-mail address. The first sign-in creates the user; concurrent first sign-ins
   * create one user.
   */
  async findOrCreateUser(
    tx: Tx,
    { email, emailVerified, name }: { email: string; emailVerified: boolean; name: string | null },
  ): Promise<User> {
    const user = { id: newId(), email, emailVerified, fullName: name };
    const at = this.clock.now();
    const id = (await this.users.upsertUserAtSignIn(tx, user, at)) ?? fail('USER_CREATION_ERROR');
    const account = await this.get(id, tx);
    if (id === user.id) {
      const { status } = account;
      const event = { name: 'user.created', userId: id, at, status, createdBy: 'sign-in' } as const;
      await this.domainEvents.emit<UserEvent>(tx, event);
    }
    return account;
  }

  /** Throws USER_NOT_FOUND. */
  async get(id: string, manager?: EntityManager): Promise<User> {
    return (await this.users.findUser(id, manager)) ?? fail('USER_NOT_FOUND');
  }

  /**
   * Throws FORBIDDEN if the user is not active, and prevents a change of the status until the transaction ends. Needed in
   * transactions because the authorization of a request happens before its transaction begins.
   */
  async requireActive(tx: Tx, id: string): Promise<void> {
    requireActiveStatus((await this.users.lockAccount(tx, id))?.status);
  }

  /** The user's e-mail address, which cannot change before the transaction ends; undefined for an unknown user. */
  lockEmail(tx: Tx, id: string): Promise<string | undefined> {
    return this.users.lockEmail(tx, id);
  }
}

/** Throws FORBIDDEN; `status` is undefined for an unknown user. */
export function requireActiveStatus(status: UserStatus | undefined): void {
  if (status !== 'active') failNotActive();
}

/** Throws FORBIDDEN for an account whose status is not active. */
export function failNotActive(): never {
  fail('FORBIDDEN', undefined, { message: 'This account is not active.' });
}
