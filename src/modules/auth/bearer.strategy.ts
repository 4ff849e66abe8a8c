import { Injectable } from '@nestjs/common';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../http/auth/principal.js';
import { refusalOf } from '../../http/auth/refusal-of.js';
import { ApplicationStrategy, bearerToken } from '../../http/auth/strategies.js';
import { Principals } from './principals.js';
import { Tokens, type Claims } from './tokens.js';

/** Our own token in the Authorization header. */
@Injectable()
export class BearerStrategy extends ApplicationStrategy(Strategy, 'bearer') {
  constructor(
    tokens: Tokens,
    private readonly principals: Principals,
  ) {
    super({ ...tokens.verification, jwtFromRequest: bearerToken });
  }

  validate(claims: Claims): Promise<Principal> {
    return this.principals.principalOf(claims);
  }

  /** The principal of a token that came in another way than in a header. Throws what a request with it is refused with. */
  principalOf(token: string): Promise<Principal> {
    const request = { headers: { authorization: `Bearer ${token}` } };
    return new Promise((resolve, reject) => {
      const done = (error: unknown, principal: Principal | false, failure: unknown) => {
        if (principal) return resolve(principal);
        resolve(Promise.reject(refusalOf([error ?? failure])));
      };
      const options = { session: false, moduleRef: { get: () => this } };
      passport.authenticate('bearer', options, done)(request, {}, reject);
    });
  }
}
