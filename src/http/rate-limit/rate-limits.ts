import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Response } from 'express';
import { Redis } from 'ioredis';
import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import { AppConfig } from '../../config/app-config.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { Meters } from '../../telemetry/meters.js';
import type { RateClass } from './rate-class.js';

const WINDOW_SECONDS = 3600;
const REDIS_WAIT_MS = 250; // a silent Redis must not hold up requests
const SIGN_IN_WINDOW_SECONDS = 900;
/** An e-mail address has this many times the attempts of one network address. */
const SIGN_IN_PLACES = 10;
const NODE_TIME_WINDOW_SECONDS = 60;

/** Fixed windows per class and caller: in Redis where there is one, else in this process. */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  private readonly redis: Redis | undefined;
  private readonly limiters: Record<Exclude<RateClass, 'none'>, RateLimiterAbstract>;
  /** Password attempts for an e-mail address, from all network addresses together. */
  private readonly signInByEmail: RateLimiterAbstract;
  /** Points are milliseconds that the EVM node worked for an address. */
  private readonly nodeTime: RateLimiterAbstract;

  constructor(
    config: AppConfig,
    private readonly meters: Meters,
  ) {
    this.redis = config.REDIS_URL
      ? new Redis(config.REDIS_URL, { enableOfflineQueue: false, commandTimeout: REDIS_WAIT_MS })
      : undefined;
    this.redis?.on('error', () => undefined); // the limiters go on in this process until Redis is back
    this.limiters = {
      user: this.limiter('user', config.RATE_LIMIT_USER),
      admin: this.limiter('admin', config.RATE_LIMIT_ADMIN),
      public: this.limiter('public', config.RATE_LIMIT_PUBLIC),
      address: this.limiter('address', config.RATE_LIMIT_ADDRESS),
      faucet: this.limiter('faucet', config.RATE_LIMIT_FAUCET),
      webhook: this.limiter('webhook', config.RATE_LIMIT_WEBHOOK),
      'sign-in': this.limiter('sign-in', config.RATE_LIMIT_SIGN_IN, SIGN_IN_WINDOW_SECONDS),
    };
    const perEmail = SIGN_IN_PLACES * config.RATE_LIMIT_SIGN_IN;
    this.signInByEmail = this.limiter('sign-in-email', perEmail, SIGN_IN_WINDOW_SECONDS);
    this.nodeTime = this.limiter('node-time', config.RPC_NODE_SECONDS * 1000, NODE_TIME_WINDOW_SECONDS);
  }

  /** Counts one request of `caller`, writes the headers, and refuses with RATE_LIMIT_EXCEEDED above the limit. */
  async count(rateClass: RateClass, caller: string, response: Response): Promise<void> {
    if (rateClass === 'none') return;
    const limiter = this.limiters[rateClass];
    if (rateClass === 'sign-in') {
      tell(response, limiter, (await limiter.get(caller)) ?? untouched(limiter));
      return;
    }
    const state = await consume(limiter, caller);
    tell(response, limiter, state);
    this.refuseAbove(rateClass, state, 'RATE_LIMIT_EXCEEDED');
  }

  /**
   * Counts one password attempt before the password is looked at, and writes the headers of the count with less
   * left. Refuses with TOO_MANY_ATTEMPTS. All attempts of a network address count together, so those for one e-mail from
   * there need no count of their own. The limit of the e-mail is higher: guesses from one place shut nobody out
   * elsewhere. A network address that is refused already counts against no e-mail.
   */
  async countSignIn(response: Response, attempt: PasswordAttempt): Promise<void> {
    const limiter = this.limiters['sign-in'];
    const ofAddress = await consume(limiter, addressKey(attempt));
    tell(response, limiter, ofAddress);
    this.refuseAbove('sign-in', ofAddress, 'TOO_MANY_ATTEMPTS');
    const ofEmail = await consume(this.signInByEmail, emailKey(attempt));
    if (left(this.signInByEmail, ofEmail) < left(limiter, ofAddress))
      tell(response, this.signInByEmail, ofEmail);
    this.refuseAbove('sign-in', ofEmail, 'TOO_MANY_ATTEMPTS', this.signInByEmail);
  }

  /** An attempt with the right password counts no longer: only failures use up the limit. */
  async giveBackSignIn(response: Response, attempt: PasswordAttempt): Promise<void> {
    const limiter = this.limiters['sign-in'];
    const ofAddress = await limiter.reward(addressKey(attempt), 1);
    const ofEmail = await this.signInByEmail.reward(emailKey(attempt), 1);
    const isEmailFuller = left(this.signInByEmail, ofEmail) < left(limiter, ofAddress);
    if (isEmailFuller) tell(response, this.signInByEmail, ofEmail);
    else tell(response, limiter, ofAddress);
  }

  /** Milliseconds that the EVM node may still work for an address in this minute; 0 or less when they are used up. */
  async nodeTimeLeft(address: string): Promise<number> {
    const spent = (await this.nodeTime.get(address))?.consumedPoints ?? 0;
    if (spent >= this.nodeTime.points) this.meters.count('rate-limit-refusal', 'node-time');
    return this.nodeTime.points - spent;
  }

  async chargeNodeTime(address: string, milliseconds: number): Promise<void> {
    await this.nodeTime.penalty(address, milliseconds);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.redis?.quit().catch(() => this.redis?.disconnect());
  }

  private refuseAbove(
    rateClass: Exclude<RateClass, 'none'>,
    state: RateLimiterRes,
    code: 'RATE_LIMIT_EXCEEDED' | 'TOO_MANY_ATTEMPTS',
    limiter = this.limiters[rateClass],
  ): void {
    if (state.consumedPoints <= limiter.points) return;
    this.meters.count('rate-limit-refusal', rateClass);
    throw new DomainError(code, undefined, { retryAfterSeconds: secondsLeft(state) });
  }

  private limiter(name: string, points: number, duration = WINDOW_SECONDS): RateLimiterAbstract {
    const here = new RateLimiterMemory({ keyPrefix: name, points, duration });
    if (!this.redis) return here;
    return new RateLimiterRedis({
      storeClient: this.redis,
      keyPrefix: `rate:${name}`,
      points,
      duration,
      insuranceLimiter: here,
    });
  }
}

/** A password, tried for an e-mail address from a network address. */
interface PasswordAttempt {
  readonly address: string;
  readonly email: string;
}

const addressKey = ({ address }: PasswordAttempt): string => `address ${address}`;
const emailKey = ({ email }: PasswordAttempt): string => `email ${email.toLowerCase()}`;

function left(limiter: RateLimiterAbstract, state: RateLimiterRes): number {
  return Math.max(0, limiter.points - state.consumedPoints);
}

function tell(response: Response, limiter: RateLimiterAbstract, state: RateLimiterRes): void {
  response.setHeader('X-RateLimit-Limit', limiter.points);
  response.setHeader('X-RateLimit-Remaining', left(limiter, state));
  response.setHeader('X-RateLimit-Reset', Math.ceil(Date.now() / 1000) + secondsLeft(state));
}

function secondsLeft(state: RateLimiterRes): number {
  return Math.ceil(state.msBeforeNext / 1000);
}

function untouched(limiter: RateLimiterAbstract): RateLimiterRes {
  return new RateLimiterRes(limiter.points, limiter.duration * 1000, 0);
}

async function consume(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal; // above the limit: the caller decides
    throw refusal;
  }
}
