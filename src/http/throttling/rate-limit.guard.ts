import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { Response } from 'express';
import type { AppConfig } from '../../config/app-config.js';
import type { RequestWithPrincipal, UserPrincipal } from '../auth/principal.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import {
  counterKey,
  LIMITED_CLASSES,
  rateClassOf,
  rateLimitOf,
  RateLimits,
  resetAt,
  setRateLimitHeaders,
  trackerOf,
  type LimitedClass,
  type RateClass,
  type RateLimitState,
} from './rate-limits.js';

/** The options of `ThrottlerModule`: one throttler per rate class. */
export function throttlerOptions(config: AppConfig, storage: RateLimitStorage): ThrottlerModuleOptions {
  const throttlers = LIMITED_CLASSES.map((name) => {
    const { limit, windowMs } = rateLimitOf(name, config);
    return { name, limit, ttl: windowMs };
  });
  return { throttlers, storage };
}

/** The headers of limits by the names that the base class gives them, which end with the name of the throttler. */
const HEADER_OF_NAME = new Map<string, string>(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].flatMap((header) =>
    LIMITED_CLASSES.map((name) => [`${header}-${name}`, header] as const),
  ),
);

function classOfRequest(context: ExecutionContext): RateClass | undefined {
  const rule = Reflect.getMetadata(ROUTE_RULE, context.getHandler()) as RouteRule | undefined;
  return rule && rateClassOf(rule.rateClass, context.switchToHttp().getRequest<RequestWithPrincipal>());
}

/**
 * Counts each request against the rate class of its route, or in the classes of API keys if it carries one. `HttpModule`
 * registers it once, as a global guard after `AuthenticationGuard`, which puts the principal on the request.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: RateLimitStorage,
    reflector: Reflector,
    private readonly rateLimits: RateLimits,
  ) {
    super(options, storage, reflector);
  }

  /**
   * Counts the request in its class. The base class would look up the decorators of every throttler for every request,
   * and no route has these decorators.
   */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const rateClass = classOfRequest(context);
    if (rateClass === 'key') return this.countKeyRequest(context);
    const throttler = this.throttlers.find(({ name }) => name === rateClass);
    if (!throttler) return true;
    const { getTracker, generateKey } = this.commonOptions as Required<typeof this.commonOptions>;
    const limit = throttler.limit as number;
    const ttl = throttler.ttl as number;
    return this.handleRequest({
      context,
      throttler,
      limit,
      ttl,
      blockDuration: ttl,
      getTracker,
      generateKey,
    });
  }

  private async countKeyRequest(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { principal } = http.getRequest<RequestWithPrincipal>();
    const { id: userId, apiKey } = principal as Required<UserPrincipal>; // the class `key` is only of requests with a key
    const response = http.getResponse<Response>();
    const showState = (state: RateLimitState): void => setRateLimitHeaders(response, state);
    await this.rateLimits.countKeyRequest({ keyId: apiKey.id, userId }, showState);
    return true;
  }

  /** `PasswordsService` counts sign-ins by password, after validation. For them this guard only sets the headers. */
  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, throttler, limit, ttl } = request;
    if (throttler.name !== 'sign-in') return super.handleRequest(request);
    const http = context.switchToHttp();
    const tracker = trackerOf(http.getRequest<RequestWithPrincipal>());
    const state = await this.storage.findPoints(counterKey('sign-in', tracker));
    const secondsLeft = Math.ceil((state?.msBeforeNext ?? ttl) / 1000);
    setRateLimitHeaders(http.getResponse(), { limit, used: state?.consumedPoints ?? 0, secondsLeft });
    return true;
  }

  protected override getTracker(request: RequestWithPrincipal): Promise<string> {
    return Promise.resolve(trackerOf(request));
  }

  protected override generateKey(_: ExecutionContext, tracker: string, rateClass: LimitedClass): string {
    return counterKey(rateClass, tracker);
  }

  /** The base class gives the reset in seconds from now; the header states it in seconds since 1970. */
  protected override setResponseHeader(response: Response, name: string, value: number): void {
    const header = HEADER_OF_NAME.get(name) ?? name;
    response.setHeader(header, header === 'X-RateLimit-Reset' ? resetAt(value) : value);
  }

  protected override throwThrottlingException(
    context: ExecutionContext,
    { limit, totalHits, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    const response = context.switchToHttp().getResponse<Response>();
    setRateLimitHeaders(response, { limit, used: totalHits, secondsLeft: timeToBlockExpire });
    this.rateLimits.refuse(classOfRequest(context) as LimitedClass, timeToBlockExpire);
  }
}
