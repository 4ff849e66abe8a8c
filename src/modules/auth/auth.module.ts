import { Global, Module } from '@nestjs/common';
import { AdminAccountsService } from '../admins/admin-accounts.service.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AuditModule } from '../audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminAccountController } from './admin-account.controller.js';
import { AdminAuthController } from './admin-auth.controller.js';
import { AuthController } from './auth.controller.js';
import { BearerStrategy } from './bearer.strategy.js';
import { CookieAdminController } from './cookie-admin.controller.js';
import { CookieController } from './cookie.controller.js';
import { AdminCookieStrategy, UserCookieStrategy } from './cookie.strategy.js';
import { DevicesService } from './devices.service.js';
import { ExpiredSessionsJob } from './expired-sessions.job.js';
import { IdentityProviderClient } from './identity-provider.client.js';
import { IdentityProviderStrategy } from './identity-provider.strategy.js';
import { PasswordsService } from './passwords.service.js';
import { Passwords } from './passwords.js';
import { PrincipalsService } from './principals.service.js';
import { RedirectUrls } from './domain/redirect-url.js';
import { RefreshTokensService } from './refresh-tokens.service.js';
import { SessionsService } from './sessions.service.js';
import { SignInAnswers } from './sign-in-answers.js';
import { SignInService } from './sign-in.service.js';
import { TokenChecksService } from './token-checks.service.js';
import { TokensService } from './tokens.service.js';

/** Global for the strategies, which the guards of every route find by their names. */
@Global()
@Module({
  imports: [UsersModule, AuditModule],
  controllers: [
    AuthController,
    AdminAuthController,
    AdminAccountController,
    CookieController,
    CookieAdminController,
  ],
  providers: [
    AdminDirectoryService,
    AdminAccountsService,
    DevicesService,
    ExpiredSessionsJob,
    IdentityProviderClient,
    PasswordsService,
    Passwords,
    PrincipalsService,
    RedirectUrls,
    RefreshTokensService,
    SessionsService,
    SignInService,
    SignInAnswers,
    TokenChecksService,
    TokensService,
    { provide: 'bearer', useClass: BearerStrategy },
    { provide: 'user-cookie', useClass: UserCookieStrategy },
    { provide: 'admin-cookie', useClass: AdminCookieStrategy },
    { provide: 'identity-provider', useClass: IdentityProviderStrategy },
  ],
  exports: [SessionsService, SignInService, SignInAnswers, AdminDirectoryService, IdentityProviderClient],
})
export class AuthModule {}
