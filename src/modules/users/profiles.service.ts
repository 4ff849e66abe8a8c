import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import type { ProfileRequest } from './dto/profile.request.js';
import { type ProfileResponse } from './dto/profile.response.js';
import { toProfileResponse } from './users.mapper.js';
import { User } from './entities/user.entity.js';

/** What users say of themselves, and what they want to be told. */
@Injectable()
export class ProfilesService {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Throws USER_NOT_FOUND. */
  async get(userId: string): Promise<ProfileResponse> {
    const user = (await this.users.findOneBy({ id: userId })) ?? fail('USER_NOT_FOUND');
    return toProfileResponse(user, await firstWallet(this.users.manager, userId));
  }

  /** Changes what is given; `updatedAt` moves when something is not as it was. Throws USER_NOT_FOUND. */
  async change(
    userId: string,
    { name, language, currency, notifications }: ProfileRequest,
  ): Promise<ProfileResponse> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user =
        (await tx.findOne(User, { where: { id: userId }, lock: { mode: 'for_no_key_update' } })) ??
        fail('USER_NOT_FOUND');
      const wanted = {
        fullName: name ?? user.fullName,
        language: language ?? user.language,
        currency: currency ?? user.currency,
        notifyEmail: notifications?.email ?? user.notifyEmail,
        notifyPush: notifications?.push ?? user.notifyPush,
      };
      const changed = (Object.keys(wanted) as (keyof typeof wanted)[]).some(
        (key) => wanted[key] !== user[key],
      );
      const wallet = await firstWallet(tx, userId);
      if (!changed) return toProfileResponse(user, wallet);
      const change = { ...wanted, updatedAt: this.clock.now() };
      await tx.update(User, userId, change);
      return toProfileResponse({ ...user, ...change }, wallet);
    });
  }

  /**
   * Whether the user wants what is optional among notifications: `earning` and `promotion`. Whoever writes one of
   * these asks first; what tells of security, money or a suspended strategy is never optional.
   */
  async wantsOptional(userId: string): Promise<boolean> {
    const user = await this.users.findOne({ where: { id: userId }, select: { id: true, notifyPush: true } });
    return user?.notifyPush ?? false;
  }
}

async function firstWallet(manager: EntityManager, userId: string): Promise<string | null> {
  const [row] = await manager.query<{ address: string | null }[]>('select first_wallet($1) as address', [
    userId,
  ]);
  return row?.address ?? null;
}
