import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { CookieRoute, PublicRoute } from '../../http/auth/route.js';
import { SessionCookies } from '../../http/auth/session-cookies.js';
import { limitedCallerOf } from '../../http/throttling/rate-limits.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { ACCESS_TOKEN_TTL_SECONDS, PASSWORD_ERRORS } from './auth.constants.js';
import {
  toAdminProfileResponse,
  toAdminSignedOutResponse,
  toCookieAdminSignedInResponse,
  toCookieAdminVerifiedResponse,
} from './auth.mapper.js';
import { AdminProfileResponse } from './dto/account.response.js';
import { AdminLoginRequest } from './dto/auth.request.js';
import { AdminSignedOutResponse } from './dto/auth.response.js';
import { CookieAdminSignedInResponse, CookieAdminVerifiedResponse } from './dto/cookie.response.js';
import { SignInService } from './sign-in.service.js';
import { TokensService } from './tokens.service.js';

/** Cookie sessions of admins. */
@Controller('api/auth/cookie/admin')
export class CookieAdminController {
  constructor(
    private readonly tokens: TokensService,
    private readonly cookies: SessionCookies,
    private readonly signIn: SignInService,
    private readonly admins: AdminDirectoryService,
    private readonly accounts: AdminAccountsService,
    private readonly clock: Clock,
  ) {}

  @Post('login')
  @PublicRoute({
    summary: 'Sign in as an admin with e-mail and password; the token is kept in a cookie',
    data: CookieAdminSignedInResponse,
    rateClass: 'sign-in',
    setsCookie: true,
    errors: PASSWORD_ERRORS,
  })
  async login(
    @Body() credentials: AdminLoginRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CookieAdminSignedInResponse> {
    const signedIn = await this.signIn.signInByPassword(credentials, limitedCallerOf(response));
    this.cookies.write(response, 'admin', signedIn.token, ACCESS_TOKEN_TTL_SECONDS);
    return toCookieAdminSignedInResponse(signedIn, this.clock.now());
  }

  @Get('verify')
  @CookieRoute('admin', {
    summary: "Whether the admin's session cookie is valid",
    data: CookieAdminVerifiedResponse,
    wrongAudienceCode: 'NOT_ADMIN_TOKEN',
  })
  verify(@CurrentAdmin() admin: AdminPrincipal): CookieAdminVerifiedResponse {
    const listed = this.admins.findAdmin(admin.id) ?? fail('TOKEN_INVALID');
    return toCookieAdminVerifiedResponse(admin, listed, this.tokens.csrfToken('admin', admin.sessionId));
  }

  @Get('profile')
  @CookieRoute('admin', {
    summary: 'The account of the admin to whom the session cookie belongs',
    data: AdminProfileResponse,
  })
  async profile(@CurrentAdmin() { id }: AdminPrincipal): Promise<AdminProfileResponse> {
    return toAdminProfileResponse(await this.accounts.get(id));
  }

  @Post('logout')
  @CookieRoute('admin', {
    summary: "End the admin's cookie session and clear the cookie",
    data: AdminSignedOutResponse,
    setsCookie: true,
  })
  async logout(
    @CurrentAdmin() admin: AdminPrincipal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminSignedOutResponse> {
    await this.signIn.signOut(admin);
    this.cookies.clear(response, 'admin');
    return toAdminSignedOutResponse(this.clock.now());
  }
}
