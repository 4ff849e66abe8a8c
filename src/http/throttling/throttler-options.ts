import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions } from '@nestjs/throttler';
import type { AppConfig } from '../../config/app-config.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { LIMITED_CLASSES, rateLimitOf, type RateClass } from './rate-classes.js';
import type { RateLimitStorage } from './rate-limit-storage.js';

export function rateClassOf(context: ExecutionContext): RateClass | undefined {
  return (Reflect.getMetadata(ROUTE_RULE, context.getHandler()) as RouteRule | undefined)?.rateClass;
}

/** One throttler for each class; it skips the routes of all other classes. */
export function throttlerOptions(config: AppConfig, storage: RateLimitStorage): ThrottlerModuleOptions {
  const throttlers = LIMITED_CLASSES.map((name) => {
    const { limit, windowMs } = rateLimitOf(name, config);
    const skipIf = (context: ExecutionContext) => rateClassOf(context) !== name;
    return { name, limit, ttl: windowMs, skipIf };
  });
  return { throttlers, storage };
}
