import { Injectable } from '@nestjs/common';
import { DAY_MS, MINUTE_MS } from '../../../common/durations.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { RateLimitStorage } from '../../../http/throttling/rate-limit-storage.js';
import { RateLimits } from '../../../http/throttling/rate-limits.js';
import type { FactorMethod, FactorOwner } from './factors.types.js';

const WINDOW_MS = 15 * MINUTE_MS;
const MAX_FAILURES = 5;
/**
 * The limit of wrong one-time codes in a day, so that slow guessing ends, too. Other answers have no such limit: they cannot be guessed,
 * and a thief with a session who sends wrong ones must not keep the owner from answering for a day.
 */
const MAX_CODES_A_DAY = 20;

/** Limits wrong answers of an owner: five of a method in fifteen minutes, and twenty one-time codes in a day. */
@Injectable()
export class FactorAttemptsService {
  constructor(
    private readonly storage: RateLimitStorage,
    private readonly rateLimits: RateLimits,
  ) {}

  /**
   * Counts the attempt before `verify` runs, so that parallel guesses are limited, and gives it back unless `verify` fails with
   * CODE_INVALID. Throws TOO_MANY_ATTEMPTS. Calls `onLastFailure` after the failure that uses up the limit; callers omit it for a
   * secret that is not confirmed and protects nothing yet.
   */
  async limitAttempts<Result>(
    { type, id }: FactorOwner,
    method: FactorMethod,
    verify: () => Promise<Result>,
    onLastFailure?: () => Promise<void>,
  ): Promise<Result> {
    const dayKey = method === 'totp' ? `second-factor-day:${type}:${id}` : undefined;
    const day = dayKey && (await this.storage.findPoints(dayKey));
    if (day && day.consumedPoints >= MAX_CODES_A_DAY) this.refuse(day.msBeforeNext);
    const key = `second-factor:${type}:${id}:${method}`;
    const began = performance.now();
    const { consumedPoints, msBeforeNext } = await this.storage.addPoints(key, WINDOW_MS);
    if (consumedPoints > MAX_FAILURES) this.refuse(msBeforeNext);
    const giveBack = async () => {
      const isSameWindow = performance.now() - began < msBeforeNext;
      if (isSameWindow) await this.storage.addPoints(key, WINDOW_MS, -1);
    };
    try {
      const result = await verify();
      await giveBack();
      return result;
    } catch (error) {
      const isWrong = error instanceof DomainError && error.code === 'CODE_INVALID';
      if (!isWrong) {
        await giveBack();
        throw error;
      }
      const codesOfDay = dayKey && (await this.storage.addPoints(dayKey, DAY_MS)).consumedPoints;
      if (consumedPoints === MAX_FAILURES || codesOfDay === MAX_CODES_A_DAY) await onLastFailure?.();
      throw error;
    }
  }

  private refuse(ms: number): never {
    return this.rateLimits.refuse('sign-in', Math.ceil(ms / 1000), 'TOO_MANY_ATTEMPTS');
  }
}
