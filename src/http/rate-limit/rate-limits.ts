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
import type { RateClass } from './rate-class.js';

const WINDOW_SECONDS = 3600;
export const SIGN_IN_WINDOW_SECONDS = 900;

/** Fixed windows per class and caller: in Redis where there is one, else in this process. */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  private readonly redis: Redis | undefined;
  private readonly limiters: Record<Exclude<RateClass, 'none'> | 'sign-in', RateLimiterAbstract>;

  constructor(config: AppConfig) {
    this.redis = config.REDIS_URL ? new Redis(config.REDIS_URL, { enableOfflineQueue: false }) : undefined;
    this.redis?.on('error', () => undefined); // the limiters go on in this process until Redis is back
    this.limiters = {
      user: this.limiter('user', config.RATE_LIMIT_USER),
      admin: this.limiter('admin', config.RATE_LIMIT_ADMIN),
      public: this.limiter('public', config.RATE_LIMIT_PUBLIC),
      address: this.limiter('address', config.RATE_LIMIT_ADDRESS),
      'sign-in': this.limiter('sign-in', config.RATE_LIMIT_SIGN_IN, SIGN_IN_WINDOW_SECONDS),
    };
  }

  /** Counts one request of `caller`, writes the headers, and refuses with RATE_LIMIT_EXCEEDED above the limit. */
  async count(rateClass: RateClass, caller: string, response: Response): Promise<void> {
    if (rateClass === 'none') return;
    const limiter = this.limiters[rateClass];
    const state = await consume(limiter, caller);
    const seconds = Math.ceil(state.msBeforeNext / 1000);
    response.setHeader('X-RateLimit-Limit', limiter.points);
    response.setHeader('X-RateLimit-Remaining', Math.max(0, state.remainingPoints));
    response.setHeader('X-RateLimit-Reset', Math.ceil(Date.now() / 1000) + seconds);
    if (state.consumedPoints > limiter.points) {
      throw new DomainError('RATE_LIMIT_EXCEEDED', undefined, { retryAfterSeconds: seconds });
    }
  }

  /** Counts one password attempt under each key, before the password is looked at (D18). */
  async countSignIn(...keys: string[]): Promise<void> {
    const limiter = this.limiters['sign-in'];
    const states = await Promise.all(keys.map((key) => consume(limiter, key)));
    const refused = states.find((state) => state.consumedPoints > limiter.points);
    if (!refused) return;
    throw new DomainError('TOO_MANY_ATTEMPTS', undefined, {
      retryAfterSeconds: Math.ceil(refused.msBeforeNext / 1000),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.redis?.quit().catch(() => this.redis?.disconnect());
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

async function consume(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal; // above the limit: the caller decides
    throw refusal;
  }
}
