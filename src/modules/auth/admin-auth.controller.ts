import { Body, Controller, Get, Ip, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute, PublicRoute } from '../../http/auth/route.js';
import { Clock } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { AdminDirectory } from '../admins/admin-directory.js';
import { AdminLoginDto, RefreshDto } from './auth.dto.js';
import {
  AdminRefreshedView,
  adminRefreshedView,
  AdminSignedInView,
  adminSignedInView,
  AdminSignedOutView,
  AdminVerifiedView,
  adminVerifiedView,
} from './auth.views.js';
import { SignIn } from './sign-in.service.js';

@Controller('api/admin/auth')
export class AdminAuthController {
  constructor(
    private readonly signIn: SignIn,
    private readonly admins: AdminDirectory,
    private readonly clock: Clock,
  ) {}

  @Post('login')
  @PublicRoute({
    summary: 'Sign in as an admin with e-mail and password',
    data: AdminSignedInView,
    rateClass: 'none', // counted on its own: 5 attempts in 15 minutes
    errors: [
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'INVALID_EMAIL',
      'INVALID_CREDENTIALS',
      'ACCOUNT_DISABLED',
      'INSUFFICIENT_PERMISSIONS',
      'TOO_MANY_ATTEMPTS',
    ],
  })
  async login(@Body() { email, password }: AdminLoginDto, @Ip() address: string): Promise<AdminSignedInView> {
    return adminSignedInView(await this.signIn.byPassword(email, password, address), this.clock.now());
  }

  @Post('refresh')
  @AdminRoute(null, {
    summary: 'A new token for a refresh token, which is spent',
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
    summary: 'Whether the admin token is good',
    data: AdminVerifiedView,
    wrongToken: 'NOT_ADMIN_TOKEN',
  })
  verify(@CurrentAdmin() admin: AdminPrincipal): AdminVerifiedView {
    return adminVerifiedView(admin, this.admins.byId(admin.id) ?? fail('TOKEN_INVALID'));
  }

  @Post('logout')
  @AdminRoute(null, { summary: 'Sign out: the token is refused from now on', data: AdminSignedOutView })
  async logout(@CurrentAdmin() admin: AdminPrincipal): Promise<AdminSignedOutView> {
    await this.signIn.signOut(admin);
    return { message: 'Logged out successfully', loggedOutAt: this.clock.now().toISOString() };
  }
}
