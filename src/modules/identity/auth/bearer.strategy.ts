import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import passport, { type AuthenticateCallback } from 'passport';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../../http/auth/principal.js';
import { ApplicationStrategy, bearerToken, refusalOf } from '../../../http/auth/strategies.js';
import { VerifiedTokens } from '../../../http/auth/verified-tokens.js';
import { PrincipalsService } from './principals.service.js';
import type { Claims } from './auth.types.js';
import { TokensService } from './tokens.service.js';

/** Authenticates by the platform's own access token in the Authorization header. */
@Injectable()
export class BearerStrategy extends ApplicationStrategy(Strategy, 'bearer') {
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
