import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { fail } from '../../common/errors/domain-error.js';
import { permits } from './permissions.js';
import type { Principal, RequestWithPrincipal } from './principal.js';
import { isForAdmins, ROUTE_RULE, type RouteRule } from './route.js';

/** The last global guard: refuses a request whose principal, set by `AuthenticationGuard`, does not satisfy the route rule. */
@Injectable()
export class AuthorizationGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const rule = this.reflector.get<RouteRule>(ROUTE_RULE, context.getHandler());
    if (rule.access === 'none' || rule.access === 'optional') return true;
    const { principal, refusal } = context.switchToHttp().getRequest<RequestWithPrincipal>();
    if (!principal) throw refusal ?? fail('TOKEN_MISSING');
    requireAccess(rule, principal);
    return true;
  }
}

function requireAccess(rule: RouteRule, principal: Principal): void {
  if ((rule.access === 'user' || rule.access === 'cookie') && principal.type !== 'user') fail('FORBIDDEN');
  if (!isForAdmins(rule)) return;
  if (principal.type !== 'admin') fail(rule.wrongAudienceCode ?? 'ADMIN_REQUIRED');
  if (rule.permission && !permits(principal.permissions, rule.permission)) {
    fail('PERMISSION_DENIED', { required: rule.permission });
  }
}
