import { Injectable } from '@nestjs/common';
import { Strategy } from 'passport-jwt';
import type { Principal, RequestWithPrincipal } from '../../http/auth/principal.js';
import { SessionCookies } from '../../http/auth/session-cookies.js';
import { ApplicationStrategy } from '../../http/auth/strategies.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { PrincipalsService } from './principals.service.js';
import type { Claims } from './auth.types.js';
import { TokensService } from './tokens.service.js';

/**
 * The platform's own access token in a session cookie. Browsers also send cookies with requests that another site causes:
 * unless the request is exempt, a cookie counts only together with the X-CSRF-Token of its session.
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
        ...tokens.verificationOptions,
        jwtFromRequest: (request: RequestWithPrincipal) => cookies.read(request, type) ?? null,
        passReqToCallback: true,
      });
    }

    /** Returns a refusal instead of throwing it, so that Passport tries the other cookie next. */
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
