import { Global, Module } from '@nestjs/common';
import { Authenticator } from '../../http/auth/authenticator.js';
import { AdminAccounts } from '../admins/admin-accounts.js';
import { AdminDirectory } from '../admins/admin-directory.js';
import { AuditModule } from '../audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminAccountController } from './admin-account.controller.js';
import { AdminAuthController } from './admin-auth.controller.js';
import { AuthController } from './auth.controller.js';
import { CookieAdminController } from './cookie-admin.controller.js';
import { CookieController } from './cookie.controller.js';
import { Devices } from './devices.js';
import { ExpiredSessions } from './expired-sessions.js';
import { IdentityProvider, JwksIdentityProvider } from './identity-provider.js';
import { PasswordAttempts } from './password-attempts.js';
import { Passwords } from './passwords.js';
import { RedirectUrls } from './redirect-urls.js';
import { RefreshTokens } from './refresh-tokens.js';
import { Sessions } from './sessions.js';
import { SignInAnswers } from './sign-in-answers.js';
import { SignIn } from './sign-in.service.js';
import { TokenAuthenticator } from './token-authenticator.js';
import { TokenChecks } from './token-checks.js';
import { Tokens } from './tokens.js';

/** Global for the one thing that every route needs: the authenticator. */
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
    PasswordAttempts,
    Passwords,
    RedirectUrls,
    RefreshTokens,
    Sessions,
    SignIn,
    SignInAnswers,
    TokenChecks,
    Tokens,
    { provide: IdentityProvider, useClass: JwksIdentityProvider },
    { provide: Authenticator, useClass: TokenAuthenticator },
  ],
  exports: [Authenticator, Sessions, SignIn, SignInAnswers, AdminDirectory, IdentityProvider],
})
export class AuthModule {}
