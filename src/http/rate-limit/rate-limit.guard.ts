import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import type { RequestWithPrincipal } from '../auth/principal.js';
import { ROUTE_RULE, type RouteRule } from '../auth/route.js';
import { callerAddress } from './caller-address.js';
import { RateLimits } from './rate-limits.js';

/** Counts each request against its principal, or against its address when it has no good token. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly rateLimits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { rateClass } = this.reflector.get<RouteRule>(ROUTE_RULE, context.getHandler());
    const request = context.switchToHttp().getRequest<RequestWithPrincipal>();
    const response = context.switchToHttp().getResponse<Response>();
    const caller = request.principal?.id ?? `address ${callerAddress(request)}`;
    await this.rateLimits.count(rateClass, caller, response);
    return true;
  }
}
