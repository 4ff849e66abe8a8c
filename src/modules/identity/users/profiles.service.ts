import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvents } from '../../../events/domain-events.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type { ProfileRequest } from './dto/profile.request.js';
import type { SecurityEvent } from './users.types.js';
import { languageOf, type Language } from '../../../common/message-texts.js';
import { UsersRepository, type Profile } from './users.repository.js';

/** The names and preferences of users. */
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
    return (await this.users.findProfile(userId, manager)) ?? throwError('USER_NOT_FOUND');
  }

  /**
   * Changes the given fields. `updatedAt` changes only if a value changes. Emits an event if optional e-mail is switched off, and
   * only one for concurrent requests, because each locks the user first. Throws USER_NOT_FOUND, VALIDATION_ERROR for two values of one preference,
   * and the errors of the step-up.
   */
  async change(
    userId: string,
    { name, preferences = {}, ...flat }: ProfileRequest,
    requireStepUp: StepUpCheck,
  ): Promise<Profile> {
    const language = oneOf('language', flat.language, preferences.language);
    const currency = oneOf('currency', flat.currency, preferences.currency);
    const switches = flat.notifications;
    const email = oneOf('notifications.email', switches?.email, preferences.notifications?.email);
    const push = oneOf('notifications.push', switches?.push, preferences.notifications?.push);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = (await this.users.lockUser(tx, userId)) ?? throwError('USER_NOT_FOUND');
      const values = {
        fullName: name ?? user.fullName,
        language: language ?? user.language,
        currency: currency ?? user.currency,
        notifyEmail: email ?? user.notifyEmail,
        notifyPush: push ?? user.notifyPush,
      };
      const isChanged = (Object.keys(values) as (keyof typeof values)[]).some(
        (key) => values[key] !== user[key],
      );
      const { walletAddress } = await this.get(userId, tx);
      if (!isChanged) return { user, walletAddress };
      const at = this.clock.now();
      const changes = { ...values, updatedAt: at };
      await this.users.updateUser(tx, userId, changes);
      if (user.notifyEmail && !values.notifyEmail) {
        await requireStepUp(tx, {});
        await this.domainEvents.emit<SecurityEvent>(tx, {
          name: 'security.email-off',
          userId,
          at,
        });
      }
      return { user: { ...user, ...changes }, walletAddress };
    });
  }

  /**
   * The language of the user's notifications, and whether the user wants the optional ones, `earning` and `promotion`.
   * Notifications about security, money or a suspended strategy are not optional.
   */
  async getNotificationPreferences(
    userId: string,
  ): Promise<{ readonly wantsOptional: boolean; readonly language: Language }> {
    const user = await this.users.findUser(userId);
    return { wantsOptional: user?.notifyPush ?? false, language: languageOf(user?.language ?? '') };
  }
}

/** The value of a preference that a request may state twice: flat, and inside `preferences`. Throws VALIDATION_ERROR if both differ. */
function oneOf<Value>(name: string, flat: Value | undefined, nested: Value | undefined): Value | undefined {
  if (flat !== undefined && nested !== undefined && flat !== nested)
    throwError('VALIDATION_ERROR', [
      { field: `preferences.${name}`, message: `differs from ${name} outside preferences` },
    ]);
  return flat ?? nested;
}
