import { Injectable } from '@nestjs/common';
import { Strategy } from 'passport-jwt';
import type { Principal, RequestWithPrincipal } from '../../http/auth/principal.js';
import { SessionCookies } from '../../http/auth/session-cookies.js';
import { ApplicationStrategy } from '../../http/auth/strategies.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { PrincipalsService } from './principals.service.js';
import { TokensService, type Claims } from './tokens.service.js';

/**
 * Our own token in the session cookie of one sort. A browser sends a cookie along with every request, also with one that
 * another site made it send: the cookie counts only together with the X-CSRF-Token of its session.
 */
function cookieStrategy(type: Principal['type']) {
  @Injectable()
  class CookieStrategy extends ApplicationStrategy(Strategy, `${type}-cookie`) {
    constructor(
      private readonly tokens: TokensService,
      private readonly principals: PrincipalsService,
      cookies: SessionCookies,
    ) {
      super({
        ...tokens.verification,
        jwtFromRequest: (request: RequestWithPrincipal) => cookies.read(request, type) ?? null,
        passReqToCallback: true,
      });
    }

    /** A refusal is returned, not thrown: Passport goes on with the other cookie. */
    async validate(
      request: RequestWithPrincipal,
      claims: Claims,
    ): Promise<[Principal] | [false, DomainError]> {
      try {
        const principal = await this.principals.principalOf(claims);
        if (request.isCsrfExempt || this.hasCsrfToken(request, principal)) return [principal];
        return [false, new DomainError('CSRF_INVALID')];
      } catch (error) {
        if (error instanceof DomainError && error.status < 500) return [false, error];
        throw error;
      }
    }

    private hasCsrfToken(request: RequestWithPrincipal, { type, sessionId }: Principal): boolean {
      return this.tokens.isCsrfToken(type, sessionId, request.get('x-csrf-token') ?? '');
    }
  }
  return CookieStrategy;
}

export const UserCookieStrategy = cookieStrategy('user');
export const AdminCookieStrategy = cookieStrategy('admin');
