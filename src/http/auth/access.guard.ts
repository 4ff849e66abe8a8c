import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { DomainError, fail } from '../../kernel/errors/domain-error.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { Authenticator } from './authenticator.js';
import { permits } from './permissions.js';
import type { Principal, RequestWithPrincipal } from './principal.js';
import { ROUTE_RULE, type RouteRule } from './route.js';

/** At every route: who is it, how often may they, and are they permitted. In this order. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly rateLimits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (!rule) fail('FORBIDDEN'); // fail closed; start-up refuses such a route already
    const request = context.switchToHttp().getRequest<RequestWithPrincipal>();
    const response = context.switchToHttp().getResponse<Response>();
    const found = rule.access === 'none' ? undefined : await this.identify(request);
    const principal = found instanceof DomainError ? undefined : found;
    await this.rateLimits.count(rule.rateClass, principal?.id ?? `address ${request.ip}`, response);
    if (found instanceof DomainError && rule.access !== 'optional') throw found;
    if (principal && rule.access !== 'optional') requireAccess(rule, principal);
    if (principal) request.principal = principal;
    return true;
  }

  /** The principal, or why there is none. */
  private async identify(request: RequestWithPrincipal): Promise<Principal | DomainError> {
    try {
      return await this.authenticator.authenticate(bearerToken(request));
    } catch (error) {
      if (error instanceof DomainError && error.status < 500) return error;
      throw error;
    }
  }
}

/** The token of `Authorization: Bearer <token>`; throws TOKEN_MISSING or TOKEN_INVALID. */
export function bearerToken(request: RequestWithPrincipal): string {
  const header = request.headers.authorization;
  if (!header) fail('TOKEN_MISSING');
  const [, token] = /^Bearer +([^\s]+)$/i.exec(header) ?? [];
  return token ?? fail('TOKEN_INVALID');
}

function requireAccess(rule: RouteRule, principal: Principal): void {
  if (rule.access === 'user' && principal.type !== 'user') fail('FORBIDDEN');
  if (rule.access !== 'admin') return;
  if (principal.type !== 'admin') fail(rule.wrongToken ?? 'ADMIN_REQUIRED');
  if (rule.permission && !permits(principal.permissions, rule.permission)) {
    fail('PERMISSION_DENIED', { required: rule.permission });
  }
}
