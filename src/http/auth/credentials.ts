import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError, fail } from '../../kernel/errors/domain-error.js';
import { Authenticator } from './authenticator.js';
import type { Principal } from './principal.js';
import type { RouteRule } from './route.js';
import { SessionCookies } from './session-cookies.js';

const CHANGES_NOTHING = new Set(['GET', 'HEAD']);

/**
 * What a request says of who it is from: its Authorization header, or a session cookie. A browser sends a cookie along
 * whoever made it send the request, so a cookie counts only together with the X-CSRF-Token of its session.
 */
@Injectable()
export class Credentials {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly cookies: SessionCookies,
  ) {}

  /** Throws TOKEN_MISSING, TOKEN_EXPIRED, TOKEN_INVALID, CSRF_INVALID or FORBIDDEN. */
  async principalOf(request: Request, { access }: RouteRule): Promise<Principal> {
    const isCookieRoute = access === 'cookie' || access === 'cookie-admin';
    if (!isCookieRoute && request.headers.authorization)
      return this.authenticator.authenticate(bearerToken(request));
    const types = access === 'admin' || access === 'cookie-admin' ? ADMIN_FIRST : USER_FIRST;
    const tokens = types
      .map((type) => this.cookies.read(request, type))
      .filter((token) => token !== undefined);
    const [token] = tokens;
    if (token === undefined) fail('TOKEN_MISSING');
    if (isCookieRoute && CHANGES_NOTHING.has(request.method)) return this.authenticator.authenticate(token);
    return this.ownerOfCsrfToken(request, tokens);
  }

  /** Of two sessions in one browser the X-CSRF-Token says which one is meant. */
  private async ownerOfCsrfToken(request: Request, tokens: string[]): Promise<Principal> {
    const refusals: DomainError[] = [];
    for (const token of tokens) {
      try {
        const principal = await this.authenticator.authenticate(token);
        if (this.authenticator.isCsrfTokenOf(principal, request.get('x-csrf-token') ?? '')) return principal;
        refusals.push(new DomainError('CSRF_INVALID'));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        refusals.push(error);
      }
    }
    throw refusals[0] as DomainError;
  }
}

const USER_FIRST = ['user', 'admin'] as const;
const ADMIN_FIRST = ['admin', 'user'] as const;

/** The token of `Authorization: Bearer <token>`; throws TOKEN_INVALID. */
function bearerToken(request: Request): string {
  const [, token] = /^Bearer +([^\s]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  return token ?? fail('TOKEN_INVALID');
}
