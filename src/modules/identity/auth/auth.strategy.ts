import { Injectable, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import passport, { type AuthenticateCallback } from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { Strategy as JwtStrategy } from 'passport-jwt';
import { DomainError, throwError } from '../../../common/errors/domain-error.js';
import type { Principal, RequestWithPrincipal } from '../../../http/auth/principal.js';
import { SessionCookies } from '../../../http/auth/session-cookies.js';
import { ApplicationStrategy, bearerToken, refusalOf } from '../../../http/auth/strategies.js';
import { VerifiedTokens } from '../../../http/auth/verified-tokens.js';
import { routerPath } from '../../../http/request/request-target.js';
import type { Claims, Identity } from './auth.types.js';
import { IdentityProviderClient } from './identity-provider.client.js';
import { PrincipalsService } from './principals.service.js';
import { TokensService } from './tokens.service.js';

/** Authenticates by the platform's own access token in the Authorization header. */
@Injectable()
export class BearerStrategy extends ApplicationStrategy(JwtStrategy, 'bearer') {
  constructor(
    private readonly tokens: TokensService,
    private readonly principals: PrincipalsService,
    private readonly verifiedTokens: VerifiedTokens,
  ) {
    super({ ...tokens.verificationOptions, jwtFromRequest: bearerToken, passReqToCallback: true });
  }

  /**
   * Stores the verified token, so that its signature is not verified again. During a change of secret no token is stored,
   * because uses of the second secret are counted.
   */
  validate(request: Request, claims: Claims): Promise<Principal> {
    const getPrincipal = () => this.principals.getPrincipal(claims);
    if (!this.tokens.hasSecondSecret)
      this.verifiedTokens.storeToken(bearerToken(request), { expiresAt: claims.exp, getPrincipal });
    return getPrincipal();
  }

  /** The principal of a token in a request body. Throws the error that a request authenticated with the token would get. */
  async getPrincipal(token: string): Promise<Principal> {
    const request = { headers: { authorization: `Bearer ${token}` } } as Request;
    // `ApplicationStrategy` finds the strategy of the application by `moduleRef`.
    const options = { session: false, moduleRef: { get: () => this } };
    const [principal, failure] = await new Promise<[Principal | false, unknown]>((resolve, reject) => {
      const done: AuthenticateCallback = (error: unknown, user, info) =>
        resolve([user as Principal | false, error ?? info]);
      const authenticate = passport.authenticate('bearer', options, done) as RequestHandler;
      void authenticate(request, {} as Response, reject);
    });
    if (principal) return principal;
    throw refusalOf([failure]);
  }
}

/**
 * Authenticates by the access token in the session cookie of a user or an admin. Browsers send cookies also with requests that another
 * site causes, so a request needs the X-CSRF-Token of the session. A read of a route that accepts nothing but cookies does not
 * need it (`isCsrfExempt`): after a reload a page gets its X-CSRF-Token from such a route.
 */
function cookieStrategy(cookieType: Principal['type']) {
  @Injectable()
  class CookieStrategy extends ApplicationStrategy(JwtStrategy, `${cookieType}-cookie`) {
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

/** Authenticates by the identity provider's JWT in the Authorization header; jose verifies it: passport-jwt lacks EdDSA. */
@Injectable()
export class IdentityProviderStrategy extends ApplicationStrategy(CustomStrategy, 'identity-provider') {
  constructor(private readonly identityProvider: IdentityProviderClient) {
    super();
  }

  /** Throws VALIDATION_ERROR without the header, and the errors of `IdentityProviderClient.verify`. */
  async validate(request: Request): Promise<Identity> {
    if (!request.headers.authorization)
      throwError('VALIDATION_ERROR', [{ field: 'authorization', message: 'header is missing' }]);
    return this.identityProvider.verify(bearerToken(request));
  }
}

/** The person whose JWT `IdentityProviderGuard` has verified. */
export const CurrentIdentity = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<Request & { identity: Identity }>().identity,
);

/**
 * Serves the sign-in also at a path with the identity provider's own name. Mounted on the whole application, since a
 * middleware that is mounted on a path cannot forward a request to another path.
 */
export function identityProviderAlias(name: string): RequestHandler {
  const alias = `/api/auth/${name}/login`; // names have lower-case letters only
  return (request: Request, _response: Response, next: NextFunction) => {
    const { path, url } = request;
    if (routerPath(path) === alias) request.url = `/api/auth/idp/login${url.slice(path.length)}`;
    next();
  };
}
