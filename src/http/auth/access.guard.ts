import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppConfig } from '../../config/app-config.js';
import { DomainError, fail } from '../../kernel/errors/domain-error.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { Credentials } from './credentials.js';
import { permits } from './permissions.js';
import type { Principal, RequestWithPrincipal } from './principal.js';
import { ROUTE_RULE, type RouteRule } from './route.js';

/** At every route: who is it, how often may they, and are they permitted. In this order. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly credentials: Credentials,
    private readonly rateLimit: RateLimitGuard,
    private readonly config: AppConfig,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (!rule) fail('FORBIDDEN'); // fail closed; start-up refuses such a route already
    if (rule.developmentOnly && this.config.isProduction) fail('NOT_FOUND');
    const request = context.switchToHttp().getRequest<RequestWithPrincipal>();
    const found = rule.access === 'none' ? undefined : await this.identify(request, rule);
    const principal = found instanceof DomainError ? undefined : found;
    if (principal) request.principal = principal;
    await this.rateLimit.canActivate(context);
    if (found instanceof DomainError && rule.access !== 'optional') throw found;
    if (principal && rule.access !== 'optional') requireAccess(rule, principal);
    return true;
  }

  /** The principal, or why there is none. */
  private async identify(request: RequestWithPrincipal, rule: RouteRule): Promise<Principal | DomainError> {
    try {
      return await this.credentials.principalOf(request, rule);
    } catch (error) {
      if (error instanceof DomainError && error.status < 500) return error;
      throw error;
    }
  }
}

function requireAccess(rule: RouteRule, principal: Principal): void {
  if ((rule.access === 'user' || rule.access === 'cookie') && principal.type !== 'user') fail('FORBIDDEN');
  if (rule.access !== 'admin' && rule.access !== 'cookie-admin') return;
  if (principal.type !== 'admin') fail(rule.wrongToken ?? 'ADMIN_REQUIRED');
  if (rule.permission && !permits(principal.permissions, rule.permission)) {
    fail('PERMISSION_DENIED', { required: rule.permission });
  }
}
