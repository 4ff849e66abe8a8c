import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute, PublicRoute } from '../../http/auth/route.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminAccounts } from '../admins/admin-accounts.js';
import { AdminDirectory } from '../admins/admin-directory.js';
import { adminProfileView, AdminProfileView, tokenCheckView, TokenCheckView } from './dto/account.response.js';
import { AdminLoginDto, AdminRegisterDto, RefreshDto, ValidateTokenDto } from './dto/auth.request.js';
import {
  AdminRefreshedView,
  adminRefreshedView,
  AdminSignedInView,
  adminSignedInView,
  AdminSignedOutView,
  AdminVerifiedView,
  adminVerifiedView,
} from './dto/auth.response.js';
import { PASSWORD_ERRORS, SignIn } from './sign-in.service.js';
import { TokenChecks } from './token-checks.js';

@Controller('api/admin/auth')
export class AdminAuthController {
  constructor(
    private readonly signIn: SignIn,
    private readonly checks: TokenChecks,
    private readonly admins: AdminDirectory,
    private readonly accounts: AdminAccounts,
    private readonly clock: Clock,
  ) {}

  @Post('login')
  @PublicRoute({
    summary: 'Sign in as an admin with e-mail and password',
    data: AdminSignedInView,
    rateClass: 'sign-in',
    errors: PASSWORD_ERRORS,
  })
  async login(
    @Body() credentials: AdminLoginDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminSignedInView> {
    return adminSignedInView(await this.signIn.byPassword(credentials, response), this.clock.now());
  }

  @Post('register')
  @AdminRoute('*', {
    summary: 'Set the password of a listed admin who has none',
    data: AdminProfileView,
    status: 201,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'INVALID_EMAIL'],
  })
  async register(
    @CurrentAdmin() admin: AdminPrincipal,
    @Body() { email, password }: AdminRegisterDto,
  ): Promise<AdminProfileView> {
    const { id } = await this.signIn.setAdminPassword(email, password, admin);
    return adminProfileView(await this.accounts.get(id));
  }

  @Post('validate-token')
  @PublicRoute({
    summary: 'Whether a token of a user or an admin is valid, and the reason if it is not',
    data: TokenCheckView,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async validateToken(@Body() { token }: ValidateTokenDto): Promise<TokenCheckView> {
    return tokenCheckView(await this.checks.ofToken(token));
  }

  @Post('refresh')
  @AdminRoute(null, {
    summary: 'Exchange a refresh token for a new access token and a new refresh token',
    data: AdminRefreshedView,
    errors: [
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'INVALID_REFRESH_TOKEN',
      'REFRESH_TOKEN_REVOKED',
      'FORBIDDEN',
    ],
  })
  async refresh(
    @CurrentAdmin() admin: AdminPrincipal,
    @Body() { refreshToken }: RefreshDto,
  ): Promise<AdminRefreshedView> {
    return adminRefreshedView(await this.signIn.refresh('admin', refreshToken, admin.id));
  }

  @Get('verify')
  @AdminRoute(null, {
    summary: 'Whether the admin token is valid',
    data: AdminVerifiedView,
    wrongToken: 'NOT_ADMIN_TOKEN',
  })
  verify(@CurrentAdmin() admin: AdminPrincipal): AdminVerifiedView {
    return adminVerifiedView(admin, this.admins.byId(admin.id) ?? fail('TOKEN_INVALID'));
  }

  @Post('logout')
  @AdminRoute(null, { summary: 'Sign out and revoke the token', data: AdminSignedOutView })
  async logout(@CurrentAdmin() admin: AdminPrincipal): Promise<AdminSignedOutView> {
    await this.signIn.signOut(admin);
    return { message: 'Logged out successfully', loggedOutAt: this.clock.now().toISOString() };
  }
}
