import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { throwError } from '../../../common/errors/domain-error.js';
import {
  CurrentPrincipal,
  CurrentUser,
  type Principal,
  type RequestWithPrincipal,
  type UserPrincipal,
} from '../../../http/auth/principal.js';
import { PublicRoute, SignedInRoute, UserRoute } from '../../../http/auth/route.js';
import { SessionCookies } from '../../../http/auth/session-cookies.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toResponse } from '../../../http/response/to-response.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { UsersService } from '../users/users.service.js';
import {
  toAdminProfileResponse,
  toAuthStatusResponse,
  toEndedSessionsResponse,
  toRefreshCheckResponse,
  toRefreshedResponse,
  toSessionResponse,
  toSignInEnvelope,
  toUserProfileResponse,
  type SignInEnvelope,
} from './auth.mapper.js';
import { CurrentIdentity } from './auth.strategy.js';
import { ADMIN_SIGN_IN_ERRORS, IDENTITY_ERRORS, REFRESH_ERRORS, type Identity } from './auth.types.js';
import { signInContextOf } from './devices.service.js';
import { IdentityLoginRequest, RefreshRequest } from './dto/auth.request.js';
import {
  AdminProfileResponse,
  AuthCheckResponse,
  AuthStatusResponse,
  EndedSessionsResponse,
  MessageResponse,
  RefreshCheckResponse,
  RefreshedResponse,
  SessionResponse,
  SIGN_IN_RESPONSES,
  UserProfileResponse,
} from './dto/auth.response.js';
import { SignInService } from './sign-in.service.js';
import { TokenChecksService } from './token-checks.service.js';
import { UserSessionsService } from './user-sessions.service.js';

@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly signIn: SignInService,
    private readonly cookies: SessionCookies,
    private readonly checks: TokenChecksService,
    private readonly users: UsersService,
    private readonly accounts: AdminAccountsService,
  ) {}

  @Post('idp/login')
  @PublicRoute({
    operationId: 'signIn',
    summary: "Sign in with the identity provider's JWT",
    bearer: 'identity-provider',
    ...SIGN_IN_RESPONSES,
    errors: [...IDENTITY_ERRORS, ...ADMIN_SIGN_IN_ERRORS],
  })
  async login(
    @CurrentIdentity() identity: Identity,
    @Body() { session, ...request }: IdentityLoginRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInEnvelope> {
    const context = signInContextOf(response.req, session);
    const signedIn = await this.signIn.signInByIdentityProvider(identity, context, request);
    const { cookies } = this;
    return toSignInEnvelope(signedIn, session, { response, cookies, redirectUrl: request.redirectUrl });
  }

  @Post('refresh')
  @PublicRoute({
    operationId: 'refreshToken',
    summary: 'Exchange a refresh token for a new access token and a new refresh token',
    data: RefreshedResponse,
    rateClass: 'session',
    errors: REFRESH_ERRORS,
  })
  async refresh(@Body() { refreshToken }: RefreshRequest): Promise<RefreshedResponse> {
    return toRefreshedResponse(await this.signIn.refreshSession('user', refreshToken));
  }

  @Post('test-refresh')
  @PublicRoute({
    operationId: 'testRefreshToken',
    summary: 'Whether a refresh token would be accepted, without spending it; in development only',
    data: RefreshCheckResponse,
    rateClass: 'session',
    developmentOnly: true,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async testRefresh(@Body() { refreshToken }: RefreshRequest): Promise<RefreshCheckResponse> {
    return toRefreshCheckResponse(await this.checks.findRefreshTokenExpiry(refreshToken));
  }

  @Get('check')
  @SignedInRoute({
    operationId: 'checkToken',
    scope: 'any',
    summary: 'The user or admin to whom the token belongs',
    data: AuthCheckResponse,
  })
  check(@CurrentPrincipal() principal: Principal): AuthCheckResponse {
    const isAdmin = principal.type === 'admin';
    return toResponse(AuthCheckResponse, principal, { authenticated: true, user: principal, isAdmin });
  }

  @Get('profile')
  @SignedInRoute({
    operationId: 'getAccount',
    scope: 'any',
    summary: "The account of the token's owner, a user or an admin",
    data: UserProfileResponse,
    variant: AdminProfileResponse,
    errors: ['USER_NOT_FOUND'],
  })
  async eitherProfile(
    @CurrentPrincipal() { type, id }: Principal,
  ): Promise<UserProfileResponse | AdminProfileResponse> {
    return type === 'admin'
      ? toAdminProfileResponse(await this.accounts.getAccount(id))
      : toUserProfileResponse(await this.users.get(id));
  }

  @Get('user/profile')
  @UserRoute({
    operationId: 'getUserAccount',
    summary: "The signed-in user's account",
    data: UserProfileResponse,
    errors: ['EMAIL_MANDATORY', 'USER_NOT_FOUND'],
  })
  async profile(@CurrentUser() user: UserPrincipal): Promise<UserProfileResponse> {
    if (!user.email) throwError('EMAIL_MANDATORY', { reason: 'is missing' });
    return toUserProfileResponse(await this.users.get(user.id));
  }

  @Post('logout')
  @SignedInRoute({
    operationId: 'signOut',
    summary: 'Sign out and revoke the token',
    data: MessageResponse,
    beforeSecondFactor: true,
    rateClass: 'session',
  })
  async logout(@CurrentPrincipal() principal: Principal): Promise<MessageResponse> {
    await this.signIn.signOut(principal);
    return { message: 'Logged out successfully' };
  }

  @Get('status')
  @PublicRoute({
    operationId: 'getSignInStatus',
    summary: 'Whether the request carries a valid token',
    optional: true,
    data: AuthStatusResponse,
  })
  status(
    @CurrentPrincipal() principal: Principal | undefined,
    @Req() { refusal }: RequestWithPrincipal,
  ): AuthStatusResponse {
    return toAuthStatusResponse(principal, refusal);
  }
}

@Controller('api/user/sessions')
export class UserSessionsController {
  constructor(private readonly sessions: UserSessionsService) {}

  @Get()
  @UserRoute({
    summary:
      "The user's sessions, one per sign-in, at most a hundred: the current one, then the newest first",
    data: [SessionResponse],
  })
  async list(@CurrentUser() user: UserPrincipal): Promise<SessionResponse[]> {
    return (await this.sessions.listSessions(user)).map(toSessionResponse);
  }

  @Delete()
  @UserRoute({
    operationId: 'endOtherSessions',
    summary: "End all the user's sessions but the current one",
    data: EndedSessionsResponse,
  })
  async endOthers(@CurrentUser() user: UserPrincipal): Promise<EndedSessionsResponse> {
    return toEndedSessionsResponse(await this.sessions.endOtherSessions(user));
  }

  @Delete(':id')
  @UserRoute({
    operationId: 'endSession',
    summary: 'End a session: its access tokens and its refresh token are not valid any more',
    data: SessionResponse,
    errors: ['SESSION_NOT_FOUND'],
  })
  async end(
    @CurrentUser() user: UserPrincipal,
    @IdParam('session', 'SESSION_NOT_FOUND') id: string,
  ): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.endSession(user, id));
  }
}
