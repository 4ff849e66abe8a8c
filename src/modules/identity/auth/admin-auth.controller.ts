import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute, PublicRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { toResponse } from '../../../http/response/to-response.js';
import { rateLimitedCallerOf } from '../../../http/throttling/rate-limits.js';
import { Clock } from '../../../common/clock.js';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { toChangeResponse } from '../approvals/approvals.mapper.js';
import { ApprovalResponse } from '../approvals/dto/approval.response.js';
import { AdminPasswordsService } from './passwords.service.js';
import { PASSWORD_ERRORS, REFRESH_ERRORS } from './auth.types.js';
import {
  toAdminHealthResponse,
  toAdminProfileResponse,
  toAdminRefreshedResponse,
  toAdminSignedInResponse,
  toAdminSignedOutResponse,
  toTokenCheckResponse,
} from './auth.mapper.js';
import {
  AdminHealthResponse,
  AdminProfileResponse,
  AdminRefreshedResponse,
  AdminSignedInResponse,
  AdminSignedOutResponse,
  AdminVerifiedResponse,
  TokenCheckResponse,
} from './dto/auth.response.js';
import {
  AdminLoginRequest,
  AdminRegisterRequest,
  RefreshRequest,
  ValidateTokenRequest,
} from './dto/auth.request.js';
import { SignInService } from './sign-in.service.js';
import { TokenChecksService } from './token-checks.service.js';

@Controller('api/admin/auth')
export class AdminAuthController {
  constructor(
    private readonly signIn: SignInService,
    private readonly passwords: AdminPasswordsService,
    private readonly checks: TokenChecksService,
    private readonly admins: AdminDirectoryService,
    private readonly clock: Clock,
    private readonly stepUps: StepUps,
  ) {}

  @Post('login')
  @PublicRoute({
    operationId: 'signInAsAdmin',
    summary: 'Sign in as an admin with e-mail and password',
    data: AdminSignedInResponse,
    rateClass: 'sign-in',
    errors: PASSWORD_ERRORS,
  })
  async login(
    @Body() credentials: AdminLoginRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminSignedInResponse> {
    return toAdminSignedInResponse(
      await this.signIn.signInByPassword(credentials, rateLimitedCallerOf(response)),
      this.clock.now(),
    );
  }

  @Post('register')
  @AdminRoute(null, {
    operationId: 'setAdminPassword',
    summary:
      "Set one's own password or, with all permissions, request the first password of another admin; no password can be set that ADMINS_FILE contains",
    data: AdminProfileResponse,
    approval: ApprovalResponse,
    stepUp: true,
    status: 201,
    errors: [
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'INVALID_EMAIL',
      'INVALID_CREDENTIALS',
      'TOO_MANY_ATTEMPTS',
      'INVALID_STATE',
    ],
  })
  async register(
    @CurrentAdmin() admin: AdminPrincipal,
    @Body() body: AdminRegisterRequest,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminProfileResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'admin.password-set');
    const result = await this.passwords.setPassword(body, admin, rateLimitedCallerOf(response), check);
    return toChangeResponse(response, result, toAdminProfileResponse);
  }

  @Post('validate-token')
  @PublicRoute({
    operationId: 'validateToken',
    summary: 'Whether a token of a user or an admin is valid, and the reason if it is not',
    data: TokenCheckResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async validateToken(@Body() { token }: ValidateTokenRequest): Promise<TokenCheckResponse> {
    return toTokenCheckResponse(await this.checks.checkAccessToken(token));
  }

  @Post('refresh')
  @AdminRoute(null, {
    operationId: 'refreshToken',
    summary: 'Exchange a refresh token for a new access token and a new refresh token',
    data: AdminRefreshedResponse,
    errors: REFRESH_ERRORS,
  })
  async refresh(
    @CurrentAdmin() admin: AdminPrincipal,
    @Body() { refreshToken }: RefreshRequest,
  ): Promise<AdminRefreshedResponse> {
    return toAdminRefreshedResponse(await this.signIn.refreshSession('admin', refreshToken, admin.id));
  }

  @Get('verify')
  @AdminRoute(null, {
    operationId: 'verifyAdminToken',
    summary: 'Whether the admin token is valid',
    data: AdminVerifiedResponse,
    wrongAudienceCode: 'NOT_ADMIN_TOKEN',
    beforeSecondFactor: true,
  })
  verify(@CurrentAdmin() admin: AdminPrincipal): AdminVerifiedResponse {
    return toResponse(AdminVerifiedResponse, admin, { valid: true, admin: this.admins.getAdmin(admin.id) });
  }

  @Post('logout')
  @AdminRoute(null, {
    operationId: 'signOut',
    summary: 'Sign out and revoke the token',
    data: AdminSignedOutResponse,
    beforeSecondFactor: true,
  })
  async logout(@CurrentAdmin() admin: AdminPrincipal): Promise<AdminSignedOutResponse> {
    await this.signIn.signOut(admin);
    return toAdminSignedOutResponse(this.clock.now());
  }
}

@Controller('api/auth/admin')
export class AdminAccountController {
  constructor(
    private readonly admins: AdminDirectoryService,
    private readonly accounts: AdminAccountsService,
  ) {}

  @Get('profile')
  @AdminRoute(null, {
    operationId: 'getAdminAccount',
    summary: "The signed-in admin's account",
    data: AdminProfileResponse,
  })
  async profile(@CurrentAdmin() { id }: AdminPrincipal): Promise<AdminProfileResponse> {
    return toAdminProfileResponse(await this.accounts.getAccount(id));
  }

  @Get('health')
  @PublicRoute({
    operationId: 'getAdminHealth',
    summary: 'Whether there are admins who can sign in',
    data: AdminHealthResponse,
  })
  health(): AdminHealthResponse {
    return toAdminHealthResponse(this.admins.countAdmins(), this.admins.isReadable);
  }
}
