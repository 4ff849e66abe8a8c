import { Global, Module } from '@nestjs/common';
import { AdminAccounts } from '../admins/admin-accounts.js';
import { AdminDirectory } from '../admins/admin-directory.js';
import { AuditModule } from '../audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminAccountController } from './admin-account.controller.js';
import { AdminAuthController } from './admin-auth.controller.js';
import { AuthController } from './auth.controller.js';
import { BearerStrategy } from './bearer.strategy.js';
import { CookieAdminController } from './cookie-admin.controller.js';
import { CookieController } from './cookie.controller.js';
import { AdminCookieStrategy, UserCookieStrategy } from './cookie.strategies.js';
import { Devices } from './devices.js';
import { ExpiredSessions } from './expired-sessions.js';
import { IdentityProvider } from './identity-provider.js';
import { IdentityProviderStrategy } from './identity-provider.strategy.js';
import { PasswordAttempts } from './password-attempts.js';
import { Passwords } from './passwords.js';
import { Principals } from './principals.js';
import { RedirectUrls } from './redirect-urls.js';
import { RefreshTokens } from './refresh-tokens.js';
import { Sessions } from './sessions.js';
import { SignInAnswers } from './sign-in-answers.js';
import { SignInService } from './sign-in.service.js';
import { TokenChecks } from './token-checks.js';
import { Tokens } from './tokens.js';

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
    AdminDirectory,
    AdminAccounts,
    Devices,
    ExpiredSessions,
    IdentityProvider,
    PasswordAttempts,
    Passwords,
    Principals,
    RedirectUrls,
    RefreshTokens,
    Sessions,
    SignInService,
    SignInAnswers,
    TokenChecks,
    Tokens,
    { provide: 'bearer', useClass: BearerStrategy },
    { provide: 'user-cookie', useClass: UserCookieStrategy },
    { provide: 'admin-cookie', useClass: AdminCookieStrategy },
    { provide: 'identity-provider', useClass: IdentityProviderStrategy },
  ],
  exports: [Sessions, SignInService, SignInAnswers, AdminDirectory, IdentityProvider],
})
export class AuthModule {}
