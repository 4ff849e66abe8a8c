import { Injectable } from '@nestjs/common';
import { Strategy } from 'passport-jwt';
import type { Principal, RequestWithPrincipal } from '../../../http/auth/principal.js';
import { SessionCookies } from '../../../http/auth/session-cookies.js';
import { ApplicationStrategy } from '../../../http/auth/strategies.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { PrincipalsService } from './principals.service.js';
import type { Claims } from './auth.types.js';
import { TokensService } from './tokens.service.js';

/**
 * Authenticates by the access token in the session cookie of a user or an admin. Browsers send cookies also with requests that another
 * site causes, so a request needs the X-CSRF-Token of the session. Reads of routes that accept cookies only do not need it
 * (`isCsrfExempt`): after a reload a page gets its X-CSRF-Token from such a route.
 */
function cookieStrategy(cookieType: Principal['type']) {
  @Injectable()
  class CookieStrategy extends ApplicationStrategy(Strategy, `${cookieType}-cookie`) {
    constructor(
      private readonly tokens: TokensService,
      private readonly principals: PrincipalsService,
      cookies: SessionCookies,
    ) {
      super({
        ...tokens.verificationOptions,
        jwtFromRequest: (request: RequestWithPrincipal) => cookies.read(request, cookieType) ?? null,
        passReqToCallback: true,
      });
    }

    /**
     * Returns the arguments of Passport's callback. A refusal is returned, not thrown: after an error Passport would not try
     * the session cookie of the other type.
     */
    async validate(
      request: RequestWithPrincipal,
      claims: Claims,
    ): Promise<[Principal] | [false, DomainError]> {
      try {
        const principal = await this.principals.getPrincipal(claims);
        if (request.isCsrfExempt || this.hasCsrfToken(request, principal)) return [principal];
        return [false, new DomainError('CSRF_INVALID')];
      } catch (error) {
        if (error instanceof DomainError && error.status < 500) return [false, error];
        throw error; // an outage is no refusal of the cookie
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
