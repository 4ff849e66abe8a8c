import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import type { ProfileRequest } from './dto/profile.request.js';
import { UsersRepository, type Profile } from './users.repository.js';

@Injectable()
export class ProfilesService {
  constructor(
    private readonly users: UsersRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Throws USER_NOT_FOUND. */
  async get(userId: string, manager?: EntityManager): Promise<Profile> {
    return (await this.users.findProfile(userId, manager)) ?? fail('USER_NOT_FOUND');
  }

  /** Changes the given fields. `updatedAt` changes only if a value changes. Throws USER_NOT_FOUND. */
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
      const changes = { ...values, updatedAt: this.clock.now() };
      await this.users.updateUser(tx, userId, changes);
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
