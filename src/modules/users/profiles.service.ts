import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvents } from '../../events/domain-events.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import type { ProfileRequest } from './dto/profile.request.js';
import type { SecurityEvent } from './security.events.js';
import { UsersRepository, type Profile } from './users.repository.js';

const EMAIL_OFF =
  'E-mail about deposits was switched off. E-mail about withdrawals and the security of your account is still sent. ' +
  'If it was not you, end your other sessions and write to our support.';

@Injectable()
export class ProfilesService {
  constructor(
    private readonly users: UsersRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Throws USER_NOT_FOUND. */
  async get(userId: string, manager?: EntityManager): Promise<Profile> {
    return (await this.users.findProfile(userId, manager)) ?? fail('USER_NOT_FOUND');
  }

  /**
   * Changes the given fields. `updatedAt` changes only if a value changes. Emits an event if optional e-mail is switched off: the
   * lock of the user makes concurrent requests emit one. Throws USER_NOT_FOUND.
   */
  async change(
    userId: string,
    { name, language, currency, notifications }: ProfileRequest,
  ): Promise<Profile> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = (await this.users.lockUser(tx, userId)) ?? fail('USER_NOT_FOUND');
      const values = {
        fullName: name ?? user.fullName,
        language: language ?? user.language,
        currency: currency ?? user.currency,
        notifyEmail: notifications?.email ?? user.notifyEmail,
        notifyPush: notifications?.push ?? user.notifyPush,
      };
      const isChanged = (Object.keys(values) as (keyof typeof values)[]).some(
        (key) => values[key] !== user[key],
      );
      const walletAddress = await this.users.findFirstWalletAddress(tx, userId);
      if (!isChanged) return { user, walletAddress };
      const at = this.clock.now();
      const changes = { ...values, updatedAt: at };
      await this.users.updateUser(tx, userId, changes);
      if (user.notifyEmail && !values.notifyEmail)
        await this.domainEvents.emit<SecurityEvent>(tx, {
          name: 'security.email-off',
          userId,
          at,
          detail: EMAIL_OFF,
        });
      return { user: { ...user, ...changes }, walletAddress };
    });
  }

  /**
   * Whether the user wants the optional notifications, `earning` and `promotion`. Notifications about security, money or a
   * suspended strategy are not optional.
   */
  async wantsOptionalNotifications(userId: string): Promise<boolean> {
    return (await this.users.findUser(userId))?.notifyPush ?? false;
  }
}
