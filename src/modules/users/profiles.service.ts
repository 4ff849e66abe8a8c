import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import type { ProfileRequest } from './dto/profile.request.js';
import type { User } from './entities/user.entity.js';
import { UsersRepository } from './users.repository.js';

export interface Profile {
  readonly user: User;
  /** The first linked wallet that is not suspended. */
  readonly walletAddress: string | null;
}

@Injectable()
export class ProfilesService {
  constructor(
    private readonly users: UsersRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Throws USER_NOT_FOUND. */
  async get(userId: string): Promise<Profile> {
    const user = (await this.users.findUser(userId)) ?? fail('USER_NOT_FOUND');
    return { user, walletAddress: await this.users.findFirstWalletAddress(userId) };
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
      const walletAddress = await this.users.findFirstWalletAddress(userId, tx);
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
