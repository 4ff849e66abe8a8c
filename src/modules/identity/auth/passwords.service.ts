import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { RateLimitStorage } from '../../../http/throttling/rate-limit-storage.js';
import {
  counterKey,
  RateLimits,
  SIGN_IN_WINDOW_MS as WINDOW_MS,
  type LimitedCaller,
} from '../../../http/throttling/rate-limits.js';
import { realNow } from '../../../common/clock.js';

/** The limit of an e-mail address is this many times the limit of a network address. */
const EMAIL_FACTOR = 10;

/** The key of a counter, and the number of failed attempts that it allows in a window. */
interface AttemptLimit {
  readonly key: string;
  readonly limit: number;
}

/** A counter to which an attempt was added. */
interface Counter extends AttemptLimit {
  readonly used: number;
  readonly windowEndsAtMs: number;
}

/** Hashes passwords (argon2id with the library's defaults: 19 MiB, two passes) and limits failed sign-ins by password. */
@Injectable()
export class PasswordsService {
  private readonly limitOfAddress: number;
  /** Verified in place of a missing hash: an unknown e-mail address costs as much time as a known one. */
  private readonly dummyHash = hash('the password of no account');

  constructor(
    { RATE_LIMIT_SIGN_IN }: AppConfig,
    private readonly storage: RateLimitStorage,
    private readonly rateLimits: RateLimits,
  ) {
    this.limitOfAddress = RATE_LIMIT_SIGN_IN;
  }

  hashPassword(password: string): Promise<string> {
    return hash(password);
  }

  /** False without a hash, after as much time as with one. */
  async matches(passwordHash: string | null | undefined, password: string): Promise<boolean> {
    const isRight = await verify(passwordHash ?? (await this.dummyHash), password).catch(() => false);
    return isRight && typeof passwordHash === 'string';
  }

  /**
   * Counts the attempt before `signIn` verifies the password, so that parallel guesses are limited, and gives it back if `signIn`
   * succeeds. Throws TOO_MANY_ATTEMPTS without counting. The limit of the e-mail address is higher than that of the network address: so
   * guesses from one network address do not lock out the real admin at another address.
   */
  async limitAttempts<Result>(
    caller: LimitedCaller,
    email: string,
    signIn: () => Promise<Result>,
  ): Promise<Result> {
    const counters: Counter[] = [];
    for (const attemptLimit of [
      { key: counterKey('sign-in', caller.tracker), limit: this.limitOfAddress },
      { key: `sign-in-email:${email}`, limit: EMAIL_FACTOR * this.limitOfAddress },
    ]) {
      const counter = await this.addAttempts(attemptLimit, 1);
      counters.push(counter);
      if (counter.used <= counter.limit) continue;
      showFullest(caller, await this.giveBack(counters));
      this.rateLimits.refuse('sign-in', secondsLeft(counter), 'TOO_MANY_ATTEMPTS');
    }
    showFullest(caller, counters);
    const result = await signIn();
    showFullest(caller, await this.giveBack(counters));
    return result;
  }

  private async addAttempts({ key, limit }: AttemptLimit, count: number): Promise<Counter> {
    const nowMs = realNow().getTime();
    const { consumedPoints, msBeforeNext } = await this.storage.addPoints(key, WINDOW_MS, count);
    return { key, limit, used: consumedPoints, windowEndsAtMs: nowMs + msBeforeNext };
  }

  /** Skips counters whose window has ended: the next window does not contain the attempt. */
  private giveBack(counters: Counter[]): Promise<Counter[]> {
    return Promise.all(
      counters.map(async (counter) =>
        secondsLeft(counter) > 0 ? await this.addAttempts(counter, -1) : counter,
      ),
    );
  }
}

/** Shows the counter with the fewest attempts left. */
function showFullest(caller: LimitedCaller, counters: Counter[]): void {
  const [fullest] = counters.toSorted((a, b) => a.limit - a.used - (b.limit - b.used));
  if (fullest) caller.showState({ ...fullest, secondsLeft: secondsLeft(fullest) });
}

function secondsLeft({ windowEndsAtMs }: Counter): number {
  return Math.max(0, Math.ceil((windowEndsAtMs - realNow().getTime()) / 1000));
}
