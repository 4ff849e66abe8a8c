import { Body, Controller, Get, Headers, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  CurrentPrincipal,
  CurrentUser,
  type Principal,
  type UserPrincipal,
} from '../../http/auth/principal.js';
import { PublicRoute, SignedInRoute, UserRoute } from '../../http/auth/route.js';
import type { Answer } from '../../http/response/enveloped-response.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminAccounts } from '../admins/admin-accounts.js';
import { Users } from '../users/users.service.js';
import {
  adminProfileView,
  AdminProfileView,
  authCheckView,
  AuthCheckView,
  refreshCheckView,
  RefreshCheckView,
} from './dto/account.response.js';
import { IdentityLoginDto, RefreshDto } from './dto/auth.request.js';
import {
  authStatusView,
  AuthStatusView,
  MessageView,
  refreshedView,
  RefreshedView,
  SignedInView,
  userProfileView,
  UserProfileView,
} from './dto/auth.response.js';
import { CookieSignedInView } from './dto/cookie.response.js';
import type { Identity } from './identity-provider.js';
import { CurrentIdentity } from './identity-provider.strategy.js';
import { RedirectUrls } from './redirect-urls.js';
import { SignInAnswers } from './sign-in-answers.js';
import { IDENTITY_ERRORS, SignIn } from './sign-in.service.js';
import { TokenChecks } from './token-checks.js';

@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly signIn: SignIn,
    private readonly answers: SignInAnswers,
    private readonly redirectUrls: RedirectUrls,
    private readonly checks: TokenChecks,
    private readonly users: Users,
    private readonly accounts: AdminAccounts,
  ) {}

  @Post('idp/login')
  @PublicRoute({
    summary: "Sign in with the identity provider's JWT",
    bearer: 'identity-provider',
    data: SignedInView,
    rateClass: 'session',
    variant: CookieSignedInView,
    setsCookie: true,
    errors: [...IDENTITY_ERRORS, 'INSUFFICIENT_PERMISSIONS'],
  })
  async login(
    @CurrentIdentity() identity: Identity,
    @Headers('user-agent') userAgent: string | undefined,
    @Body() { session, redirectUrl }: IdentityLoginDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Answer<SignedInView | CookieSignedInView>> {
    this.redirectUrls.requireAllowed(redirectUrl);
    const signedIn = await this.signIn.byIdentityProvider(identity, userAgent);
    return this.answers.of(signedIn, session, response, redirectUrl);
  }

  @Post('refresh')
  @PublicRoute({
    summary: 'Exchange a refresh token for a new access token and a new refresh token',
    data: RefreshedView,
    rateClass: 'session',
    errors: [
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'INVALID_REFRESH_TOKEN',
      'REFRESH_TOKEN_REVOKED',
      'FORBIDDEN',
    ],
  })
  async refresh(@Body() { refreshToken }: RefreshDto): Promise<RefreshedView> {
    return refreshedView(await this.signIn.refresh('user', refreshToken));
  }

  @Post('test-refresh')
  @PublicRoute({
    summary: 'Whether a refresh token would be accepted, without spending it; in development only',
    data: RefreshCheckView,
    rateClass: 'session',
    developmentOnly: true,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async testRefresh(@Body() { refreshToken }: RefreshDto): Promise<RefreshCheckView> {
    return refreshCheckView(await this.checks.ofRefreshToken(refreshToken));
  }

  @Get('check')
  @SignedInRoute({ summary: 'The user or admin to whom the token belongs', data: AuthCheckView })
  check(@CurrentPrincipal() principal: Principal): AuthCheckView {
    return authCheckView(principal);
  }

  @Get('profile')
  @SignedInRoute({
    summary: "The account of the token's owner, a user or an admin",
    data: UserProfileView,
    variant: AdminProfileView,
    errors: ['USER_NOT_FOUND'],
  })
  async eitherProfile(
    @CurrentPrincipal() { type, id }: Principal,
  ): Promise<UserProfileView | AdminProfileView> {
    return type === 'admin'
      ? adminProfileView(await this.accounts.get(id))
      : userProfileView(await this.users.get(id));
  }

  @Get('user/profile')
  @UserRoute({
    summary: "The signed-in user's account",
    data: UserProfileView,
    errors: ['EMAIL_MANDATORY', 'USER_NOT_FOUND'],
  })
  async profile(@CurrentUser() user: UserPrincipal): Promise<UserProfileView> {
    if (!user.email) fail('EMAIL_MANDATORY');
    return userProfileView(await this.users.get(user.id));
  }

  @Post('logout')
  @SignedInRoute({
    summary: 'Sign out and revoke the token',
    data: MessageView,
    rateClass: 'session',
  })
  async logout(@CurrentPrincipal() principal: Principal): Promise<MessageView> {
    await this.signIn.signOut(principal);
    return { message: 'Logged out successfully' };
  }

  @Get('status')
  @PublicRoute({ summary: 'Whether the request carries a valid token', optional: true, data: AuthStatusView })
  status(
    @CurrentPrincipal() principal: Principal | undefined,
    @Headers('authorization') authorization: string | undefined,
  ): AuthStatusView {
    return authStatusView(principal, authorization);
  }
}
