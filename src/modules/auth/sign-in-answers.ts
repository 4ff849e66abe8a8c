import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { SessionCookies } from '../../http/auth/session-cookies.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { type SignedInResponse } from './dto/auth.response.js';
import { toSignedInResponse, toCookieSignedInResponse } from './auth.mapper.js';
import { type CookieSignedInResponse } from './dto/cookie.response.js';
import type { SignedIn } from './sign-in.service.js';
import { TOKEN_TTL_SECONDS } from './tokens.service.js';

/** Where the client keeps the token: it, or the browser for it. */
export const SESSION_KINDS = ['bearer', 'cookie'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** How a sign-in is answered: with the token, or with a cookie that holds it and the csrfToken. */
@Injectable()
export class SignInAnswers {
  constructor(private readonly cookies: SessionCookies) {}

  /** Adds the cookie to the response where one was asked for. `redirectUrl` is one that may be given back. */
  of(
    signedIn: SignedIn,
    kind: SessionKind,
    response: Response,
    redirectUrl?: string,
  ): EnvelopedResponse<SignedInResponse> | EnvelopedResponse<CookieSignedInResponse> {
    const message = signedIn.admin ? 'Admin authentication successful' : 'Authentication successful';
    const redirect = redirectUrl === undefined ? {} : { redirectUrl };
    if (kind !== 'cookie')
      return new EnvelopedResponse({ ...toSignedInResponse(signedIn), ...redirect }, { message });
    this.cookies.write(response, signedIn.admin ? 'admin' : 'user', signedIn.token, TOKEN_TTL_SECONDS);
    return new EnvelopedResponse({ ...toCookieSignedInResponse(signedIn), ...redirect }, { message });
  }
}
