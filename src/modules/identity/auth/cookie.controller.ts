import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  CurrentAdmin,
  CurrentUser,
  type AdminPrincipal,
  type SessionUser,
  type UserPrincipal,
} from '../../../http/auth/principal.js';
import { CookieRoute, PublicRoute } from '../../../http/auth/route.js';
import { SessionCookies } from '../../../http/auth/session-cookies.js';
import { toResponse } from '../../../http/response/to-response.js';
import { rateLimitedCallerOf } from '../../../http/throttling/rate-limits.js';
import { Clock } from '../../../common/clock.js';
import { UsersService } from '../users/users.service.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import {
  AdminProfileResponse,
  AdminSignedOutResponse,
  CookieAdminSignedInResponse,
  CookieAdminVerifiedResponse,
  CookieVerifiedResponse,
  MessageResponse,
  UserProfileResponse,
} from './dto/auth.response.js';
import {
  toAdminProfileResponse,
  toAdminSignedOutResponse,
  toCookieAdminSignedInResponse,
  toUserProfileResponse,
} from './auth.mapper.js';
import { SignInService } from './sign-in.service.js';
import { TokensService } from './tokens.service.js';
import { ACCESS_TOKEN_TTL_SECONDS, PASSWORD_ERRORS } from './auth.types.js';
import { AdminLoginRequest } from './dto/auth.request.js';

/** Cookie sessions of users; they begin with a sign-in that says `session: "cookie"`. */
@Controller('api/auth/cookie')
export class CookieController {
  constructor(
    private readonly tokens: TokensService,
    private readonly cookies: SessionCookies,
    private readonly signIn: SignInService,
    private readonly users: UsersService,
  ) {}

  @Get('verify')
  @CookieRoute('user', {
    operationId: 'verifyCookieSession',
    summary: 'Whether the session cookie is valid',
    data: CookieVerifiedResponse,
  })
  verify(@CurrentUser() user: SessionUser): CookieVerifiedResponse {
    const csrfToken = this.tokens.csrfToken('user', user.sessionId);
    return toResponse(CookieVerifiedResponse, user, { valid: true, user, csrfToken });
  }

  @Get('profile')
  @CookieRoute('user', {
    operationId: 'getCookieAccount',
    summary: 'The account of the user to whom the session cookie belongs',
    data: UserProfileResponse,
    errors: ['USER_NOT_FOUND'],
  })
  async profile(@CurrentUser() user: UserPrincipal): Promise<UserProfileResponse> {
    return toUserProfileResponse(await this.users.get(user.id));
  }

  @Post('logout')
  @CookieRoute('user', {
    operationId: 'endCookieSession',
    summary: 'End the cookie session and clear the cookie',
    data: MessageResponse,
    rateClass: 'session',
    setsCookie: true,
  })
  async logout(
    @CurrentUser() user: UserPrincipal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageResponse> {
    await this.signIn.signOut(user);
    this.cookies.clear(response, 'user');
    return { message: 'Logged out successfully' };
  }
}

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
    operationId: 'startAdminCookieSession',
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
    const signedIn = await this.signIn.signInByPassword(credentials, rateLimitedCallerOf(response));
    this.cookies.write(response, 'admin', signedIn.token, ACCESS_TOKEN_TTL_SECONDS);
    return toCookieAdminSignedInResponse(signedIn, this.clock.now());
  }

  @Get('verify')
  @CookieRoute('admin', {
    operationId: 'verifyAdminCookieSession',
    summary: "Whether the admin's session cookie is valid",
    data: CookieAdminVerifiedResponse,
    wrongAudienceCode: 'NOT_ADMIN_TOKEN',
    beforeSecondFactor: true,
  })
  verify(@CurrentAdmin() principal: AdminPrincipal): CookieAdminVerifiedResponse {
    const admin = this.admins.getAdmin(principal.id);
    const csrfToken = this.tokens.csrfToken('admin', principal.sessionId);
    return toResponse(CookieAdminVerifiedResponse, principal, { valid: true, admin, csrfToken });
  }

  @Get('profile')
  @CookieRoute('admin', {
    operationId: 'getAdminCookieAccount',
    summary: 'The account of the admin to whom the session cookie belongs',
    data: AdminProfileResponse,
  })
  async profile(@CurrentAdmin() { id }: AdminPrincipal): Promise<AdminProfileResponse> {
    return toAdminProfileResponse(await this.accounts.getAccount(id));
  }

  @Post('logout')
  @CookieRoute('admin', {
    operationId: 'endAdminCookieSession',
    summary: "End the admin's cookie session and clear the cookie",
    data: AdminSignedOutResponse,
    beforeSecondFactor: true,
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
