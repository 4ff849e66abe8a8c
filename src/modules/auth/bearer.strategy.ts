import { Injectable } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import passport, { type AuthenticateCallback } from 'passport';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../http/auth/principal.js';
import { refusalOf } from '../../http/auth/strategies.js';
import { ApplicationStrategy, bearerToken } from '../../http/auth/strategies.js';
import { PrincipalsService } from './principals.service.js';
import { TokensService, type Claims } from './tokens.service.js';

/** Our own token in the Authorization header. */
@Injectable()
export class BearerStrategy extends ApplicationStrategy(Strategy, 'bearer') {
  constructor(
    tokens: TokensService,
    private readonly principals: PrincipalsService,
  ) {
    super({ ...tokens.verification, jwtFromRequest: bearerToken });
  }

  validate(claims: Claims): Promise<Principal> {
    return this.principals.principalOf(claims);
  }

  /** The principal of a token from a body, verified as one in a header is. Throws the refusal of such a request. */
  async principalOf(token: string): Promise<Principal> {
    const request = { headers: { authorization: `Bearer ${token}` } } as Request;
    const options = { session: false, moduleRef: { get: () => this } };
    const [principal, failure] = await new Promise<[Principal | false, unknown]>((resolve, reject) => {
      const done: AuthenticateCallback = (error: unknown, found, info) =>
        resolve([found as Principal | false, error ?? info]);
      const authenticate = passport.authenticate('bearer', options, done) as RequestHandler;
      void authenticate(request, {} as Response, reject);
    });
    if (principal) return principal;
    throw refusalOf([failure]);
  }
}
