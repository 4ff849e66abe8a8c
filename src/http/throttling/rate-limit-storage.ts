import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Redis } from 'ioredis';
import {
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterAbstract,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { AppConfig } from '../../config/app-config.js';

const SILENCE_MS = 1000; // a connection that receives no answer for so long is replaced
const REDIS_TIMEOUT_MS = 250; // a Redis that does not answer must not delay requests
const OPTIONS = { keyPrefix: 'rate', points: 0, duration: 0 }; // `addPoints` passes the window, and `increment` applies the limit

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Counters with fixed windows, of requests and of used time: in Redis if there is one, otherwise in this process. While Redis does
 * not answer, each process counts for itself.
 */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly counters: RateLimiterAbstract;

  constructor(private readonly redis?: Redis) {
    const insuranceLimiter = new RateLimiterMemory(OPTIONS);
    this.redis?.on('error', () => undefined); // the insurance limiter counts until Redis is back
    this.counters = this.redis
      ? new RateLimiterRedis({ ...OPTIONS, storeClient: this.redis, insuranceLimiter })
      : insuranceLimiter;
  }

  /** In Redis if REDIS_URL is set. */
  static async open({ REDIS_URL }: AppConfig): Promise<RateLimitStorage> {
    if (REDIS_URL === undefined) return new RateLimitStorage();
    const { Redis } = await import('ioredis'); // most installations have none
    const redis = new Redis(REDIS_URL, {
      enableOfflineQueue: false,
      commandTimeout: REDIS_TIMEOUT_MS,
      // Otherwise commands that have timed out stay in memory while Redis hangs, and are sent again afterwards.
      socketTimeout: SILENCE_MS,
      autoResendUnfulfilledCommands: false,
    });
    return new RateLimitStorage(redis);
  }

  /** Ignores `blockDuration`: a caller is blocked until the window ends, and refused requests do not extend it. */
  async increment(key: string, ttl: number, limit: number): Promise<ThrottlerStorageRecord> {
    const { consumedPoints, msBeforeNext } = await this.addPoints(key, ttl);
    const seconds = Math.ceil(msBeforeNext / 1000);
    return {
      totalHits: consumedPoints,
      timeToExpire: seconds,
      isBlocked: consumedPoints > limit,
      timeToBlockExpire: seconds,
    };
  }

  /**
   * Adds points to the counter; the first call begins a window of `windowMs`. Negative points undo earlier ones. Does not use
   * `consume`, which would refuse above the limit of `OPTIONS`.
   */
  addPoints(key: string, windowMs: number, points = 1): Promise<RateLimiterRes> {
    return this.counters.penalty(key, points, { customDuration: windowMs / 1000 });
  }

  /** The counter and the remaining time of its window; undefined if no window is open. */
  async findPoints(key: string): Promise<RateLimiterRes | undefined> {
    const state = await this.counters.get(key);
    return state && state.msBeforeNext > 0 ? state : undefined;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.redis?.quit().catch(() => this.redis?.disconnect());
  }
}
