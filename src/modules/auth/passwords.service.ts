import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { SIGN_IN_WINDOW_MS as WINDOW_MS } from '../../http/throttling/rate-classes.js';
import { RateLimitStorage } from '../../http/throttling/rate-limit-storage.js';
import { counterKey, RateLimits, setRateLimitHeaders, trackerOf } from '../../http/throttling/rate-limits.js';
import { realNow } from '../../common/clock.js';

/** An e-mail address has this many times the attempts of one network address. */
const EMAIL_FACTOR = 10;

interface CounterKey {
  readonly key: string;
  readonly limit: number;
}

/** A counter to which an attempt was added. */
interface Counter extends CounterKey {
  readonly used: number;
  readonly windowEndsAtMs: number;
}

/** Limits failed sign-ins by password, per network address and per e-mail address. */
@Injectable()
export class PasswordsService {
  private readonly limitOfAddress: number;

  constructor(
    { RATE_LIMIT_SIGN_IN }: AppConfig,
    private readonly storage: RateLimitStorage,
    private readonly rateLimits: RateLimits,
  ) {
    this.limitOfAddress = RATE_LIMIT_SIGN_IN;
  }

  /**
   * Counts the attempt before `signIn` looks at the password, so that parallel guesses are limited, and gives it back if
   * `signIn` succeeds. Throws TOO_MANY_ATTEMPTS; a refused attempt does not count. Sets the headers of the counter with
   * fewer attempts left. The limit of the e-mail address is higher: guesses from one network address do not lock out the
   * real admin at another one.
   */
  async runCounted<Result>(
    response: Response,
    email: string,
    signIn: () => Promise<Result>,
  ): Promise<Result> {
    const counters: Counter[] = [];
    for (const key of [
      { key: counterKey('sign-in', trackerOf(response.req)), limit: this.limitOfAddress },
      { key: `sign-in-email:${email.toLowerCase()}`, limit: EMAIL_FACTOR * this.limitOfAddress },
    ]) {
      const counter = await this.addAttempts(key, 1);
      counters.push(counter);
      if (counter.used <= counter.limit) continue;
      showFullest(response, await this.giveBack(counters));
      this.rateLimits.refuse('sign-in', secondsLeft(counter), 'TOO_MANY_ATTEMPTS');
    }
    showFullest(response, counters);
    const result = await signIn();
    showFullest(response, await this.giveBack(counters));
    return result;
  }

  private async addAttempts({ key, limit }: CounterKey, count: number): Promise<Counter> {
    const nowMs = realNow().getTime();
    const { consumedPoints, msBeforeNext } = await this.storage.addPoints(key, WINDOW_MS, count);
    return { key, limit, used: consumedPoints, windowEndsAtMs: nowMs + msBeforeNext };
  }

  /** A window that has ended took the attempt with it; the next window holds only other attempts. */
  private giveBack(counters: Counter[]): Promise<Counter[]> {
    return Promise.all(
      counters.map(async (counter) =>
        secondsLeft(counter) > 0 ? await this.addAttempts(counter, -1) : counter,
      ),
    );
  }
}

function showFullest(response: Response, counters: Counter[]): void {
  const [fullest] = counters.toSorted((a, b) => a.limit - a.used - (b.limit - b.used));
  if (fullest) setRateLimitHeaders(response, { ...fullest, secondsLeft: secondsLeft(fullest) });
}

function secondsLeft({ windowEndsAtMs }: Counter): number {
  return Math.max(0, Math.ceil((windowEndsAtMs - realNow().getTime()) / 1000));
}
