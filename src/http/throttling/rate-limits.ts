import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import type { SettingName } from '../../config/settings.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/durations.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { Meters } from '../../observability/meters.js';
import type { RequestWithPrincipal } from '../auth/principal.js';
import { callerAddress } from './caller-address.js';
import { RateLimitStorage } from './rate-limit-storage.js';

export const SIGN_IN_WINDOW_MS = 15 * MINUTE_MS;

/** The classes that limit requests, each with the setting of its limit. A caller has a counter in each class. */
const LIMIT_SETTINGS = {
  user: 'RATE_LIMIT_USER',
  admin: 'RATE_LIMIT_ADMIN',
  session: 'RATE_LIMIT_SESSION',
  rpc: 'RATE_LIMIT_RPC',
  faucet: 'RATE_LIMIT_FAUCET',
  public: 'RATE_LIMIT_PUBLIC',
  proofs: 'RATE_LIMIT_PROOFS',
  address: 'RATE_LIMIT_ADDRESS',
  webhook: 'RATE_LIMIT_WEBHOOK',
  key: 'RATE_LIMIT_KEY', // each API key apart
  'key-user': 'RATE_LIMIT_USER', // all API keys of a user together
  'sign-in': 'RATE_LIMIT_SIGN_IN',
} as const satisfies Record<string, SettingName>;

export type LimitedClass = keyof typeof LIMIT_SETTINGS;
/** The class of a route; routes of the class `none` are not limited. */
export type RateClass = LimitedClass | 'none';

/** Limits per user and day on what handlers count themselves. */
const DAILY_LIMITS = {
  /** Refusals of destinations that are deposit addresses: each tells the user that somebody has this deposit address. */
  'deposit-address-refusal': 10,
  /** Addresses that come into an address book without a verdict: each costs a question to the screening provider. */
  'address-screening': 10,
} as const;

export type DailyLimit = keyof typeof DAILY_LIMITS;

export const LIMITED_CLASSES = Object.keys(LIMIT_SETTINGS) as LimitedClass[];

export function rateLimitOf(rateClass: LimitedClass, config: AppConfig): { limit: number; windowMs: number } {
  const windowMs = rateClass === 'sign-in' ? SIGN_IN_WINDOW_MS : HOUR_MS;
  return { limit: config[LIMIT_SETTINGS[rateClass]], windowMs };
}

/**
 * The class in which a request counts: that of its route, or `key` if it was authenticated with an API key. Requests of the
 * class `key` also count in `key-user`.
 */
export function rateClassOf(routeClass: RateClass, { principal }: RequestWithPrincipal): RateClass {
  const isByKey = principal?.type === 'user' && principal.apiKey !== undefined;
  return isByKey && routeClass !== 'none' ? 'key' : routeClass;
}

/**
 * Identifies the caller: the principal, or the network address of a request without a valid token. The API keys of a user share
 * the counter of the user, except in the class `key` (`countKeyRequest`).
 */
export function trackerOf(request: RequestWithPrincipal): string {
  return request.principal?.id ?? `address ${callerAddress(request)}`;
}

/** The key of a caller's counter. It does not name the handler: all routes of a class share one limit. */
export function counterKey(rateClass: LimitedClass | DailyLimit, tracker: string): string {
  return `${rateClass}:${tracker}`;
}

interface KeyOfUser {
  readonly keyId: string;
  readonly userId: string;
}

export interface RateLimitState {
  readonly limit: number;
  readonly used: number;
  readonly secondsLeft: number;
}

export function rateLimitHeaders({ limit, used, secondsLeft }: RateLimitState): Record<string, number> {
  return {
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': remainingOf({ limit, used }),
    'X-RateLimit-Reset': resetAt(secondsLeft),
  };
}

function remainingOf({ limit, used }: Pick<RateLimitState, 'limit' | 'used'>): number {
  return Math.max(0, limit - used);
}

export function setRateLimitHeaders(response: Response, state: RateLimitState): void {
  for (const [name, value] of Object.entries(rateLimitHeaders(state))) response.setHeader(name, value);
}

/** A caller whose requests a service counts, and the function that shows the state of the limit to the caller. */
export interface LimitedCaller {
  readonly tracker: string;
  readonly showState: (state: RateLimitState) => void;
}

/** The caller of a request, to whom the headers of its response show the state. */
export function rateLimitedCallerOf(response: Response): LimitedCaller {
  return {
    tracker: trackerOf(response.req),
    showState: (state) => setRateLimitHeaders(response, state),
  };
}

/** The end of the window, in seconds since 1970. */
export function resetAt(secondsLeft: number): number {
  return Math.ceil(Date.now() / 1000) + secondsLeft;
}

/** Counts requests in handlers, and refuses requests above the limit of any class. */
@Injectable()
export class RateLimits {
  constructor(
    private readonly config: AppConfig,
    private readonly storage: RateLimitStorage,
    private readonly meters: Meters,
  ) {}

  /** Counts a request against a class besides that of its route. Throws RATE_LIMIT_EXCEEDED above the limit. */
  countRequest(rateClass: LimitedClass, response: Response): Promise<void> {
    return this.countCaller(rateClass, rateLimitedCallerOf(response));
  }

  /** Counts a request against a class and shows the state of the limit. Throws RATE_LIMIT_EXCEEDED above the limit. */
  async countCaller(rateClass: LimitedClass, { tracker, showState }: LimitedCaller): Promise<void> {
    const state = await this.increment(rateClass, tracker);
    showState(state);
    this.requireWithin(rateClass, state);
  }

  /**
   * Counts a request with an API key in the class of the key, and in the class of all keys of its user unless the first one
   * refuses it. Shows the limit with fewer remaining requests. Throws RATE_LIMIT_EXCEEDED above a limit.
   */
  async countKeyRequest({ keyId, userId }: KeyOfUser, showState: LimitedCaller['showState']): Promise<void> {
    const ofKey = await this.increment('key', keyId);
    showState(ofKey);
    this.requireWithin('key', ofKey);
    const ofUser = await this.increment('key-user', userId);
    if (remainingOf(ofUser) < remainingOf(ofKey)) showState(ofUser);
    this.requireWithin('key-user', ofUser);
  }

  /** Keeps the requests of a key that is deleted, so that they count against the keys that the user creates meanwhile. */
  async keepCountOfDeletedKey({ keyId, userId }: KeyOfUser): Promise<void> {
    await this.addCount(counterKey('key', keyId), `deleted-keys:${userId}`);
  }

  /** Begins the counter of a new key with the requests of the keys of its user that were deleted within the window. */
  async inheritCountOfDeletedKeys({ keyId, userId }: KeyOfUser): Promise<void> {
    await this.addCount(`deleted-keys:${userId}`, counterKey('key', keyId));
  }

  /** Counts an event of a user in a window of a day, which the first event opens. */
  async countDaily(name: DailyLimit, userId: string): Promise<RateLimitState> {
    const { consumedPoints, msBeforeNext } = await this.storage.addPoints(counterKey(name, userId), DAY_MS);
    return { limit: DAILY_LIMITS[name], used: consumedPoints, secondsLeft: Math.ceil(msBeforeNext / 1000) };
  }

  /** The state of a daily limit of a user, without counting. */
  async getDailyState(name: DailyLimit, userId: string): Promise<RateLimitState> {
    const state = await this.storage.findPoints(counterKey(name, userId));
    const secondsLeft = Math.ceil((state?.msBeforeNext ?? DAY_MS) / 1000);
    return { limit: DAILY_LIMITS[name], used: state?.consumedPoints ?? 0, secondsLeft };
  }

  /** Throws the code, and counts the refusal for the metrics. */
  refuse(
    rateClass: LimitedClass | DailyLimit | 'live-address',
    retryAfterSeconds: number,
    code: 'RATE_LIMIT_EXCEEDED' | 'TOO_MANY_ATTEMPTS' = 'RATE_LIMIT_EXCEEDED',
  ): never {
    this.meters.count('rate-limit-refusal', rateClass);
    throw new DomainError(code, undefined, { retryAfterSeconds });
  }

  private async addCount(from: string, to: string): Promise<void> {
    const state = await this.storage.findPoints(from);
    if (state)
      await this.storage.addPoints(to, rateLimitOf('key', this.config).windowMs, state.consumedPoints);
  }

  private async increment(rateClass: LimitedClass, tracker: string): Promise<RateLimitState> {
    const { limit, windowMs } = rateLimitOf(rateClass, this.config);
    const key = counterKey(rateClass, tracker);
    const { totalHits, timeToExpire } = await this.storage.increment(key, windowMs, limit);
    return { limit, used: totalHits, secondsLeft: timeToExpire };
  }

  private requireWithin(rateClass: LimitedClass, { used, limit, secondsLeft }: RateLimitState): void {
    if (used > limit) this.refuse(rateClass, secondsLeft);
  }
}
