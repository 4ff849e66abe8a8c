import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DomainError, throwError } from '../../common/errors/domain-error.js';
import { networkAddress } from '../throttling/caller-address.js';
import { ApiKeyUses } from './api-key-uses.js';
import { permits } from './permissions.js';
import type { ApiKeyGrant, Principal, RequestWithPrincipal } from './principal.js';
import { isForAdmins, ROUTE_RULE, type RouteRule } from './route.js';

/** The last global guard: refuses a request whose principal, set by `AuthenticationGuard`, does not satisfy the route rule. */
@Injectable()
export class AuthorizationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeyUses: ApiKeyUses,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const rule = this.reflector.get<RouteRule>(ROUTE_RULE, context.getHandler());
    if (rule.access === 'none' || rule.access === 'optional') return true;
    const request = context.switchToHttp().getRequest<RequestWithPrincipal>();
    const { principal, refusal } = request;
    if (!principal) throw refusal ?? new DomainError('TOKEN_MISSING');
    if (principal.type === 'user' && principal.apiKey) {
      requireScope(rule, principal.apiKey);
      this.apiKeyUses.recordUse(principal, networkAddress(request));
    } else requireAccess(rule, principal);
    return true;
  }
}

function requireAccess(rule: RouteRule, principal: Principal): void {
  if ((rule.access === 'user' || rule.access === 'cookie') && principal.type !== 'user')
    throwError('FORBIDDEN');
  requireSecondFactor(rule, principal);
  if (!isForAdmins(rule)) return;
  if (principal.type !== 'admin') throwError(rule.wrongAudienceCode ?? 'ADMIN_REQUIRED');
  if (rule.permission && !permits(principal.permissions, rule.permission)) {
    throwError('PERMISSION_DENIED', { required: rule.permission });
  }
}

/** Throws SECOND_FACTOR_REQUIRED for a session of an admin that can only register a second factor. */
export function requireSecondFactor({ beforeSecondFactor }: RouteRule, principal: Principal): void {
  if (principal.type !== 'admin' || !principal.needsSecondFactor || beforeSecondFactor) return;
  throwError(
    'SECOND_FACTOR_REQUIRED',
    { id: null, methods: [], options: null, expiresAt: null },
    { status: 403, message: 'Register a second factor (docs/access.md), then sign in with it.' },
  );
}

/**
 * An API key opens a route of access `user` or `any` (every signed-in caller) if the route has a scope that the key has, too. Every key
 * has the scope `any`.
 */
function requireScope(rule: RouteRule, { scopes }: ApiKeyGrant): void {
  if (isForAdmins(rule)) throwError('ADMIN_REQUIRED');
  if ((rule.access !== 'user' && rule.access !== 'any') || !rule.scope) throwError('PERMISSION_DENIED');
  if (rule.scope !== 'any' && !scopes.includes(rule.scope)) {
    throwError('PERMISSION_DENIED', { required: rule.scope });
  }
}
