import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AdminsModule } from '../admins/admins.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminAccountController } from './admin-account.controller.js';
import { AdminAuthController } from './admin-auth.controller.js';
import { AuthController } from './auth.controller.js';
import { BearerStrategy } from './bearer.strategy.js';
import { CookieAdminController } from './cookie-admin.controller.js';
import { CookieController } from './cookie.controller.js';
import { AdminCookieStrategy, UserCookieStrategy } from './cookie.strategy.js';
import { DevicesRepository } from './devices.repository.js';
import { DevicesService } from './devices.service.js';
import { RefreshToken } from './entities/refresh-token.entity.js';
import { Session } from './entities/session.entity.js';
import { ExpiredSessionsJob } from './expired-sessions.job.js';
import { IdentityProviderClient } from './identity-provider.client.js';
import { IdentityProviderStrategy } from './identity-provider.strategy.js';
import { PasswordsService } from './passwords.service.js';
import { PrincipalsService } from './principals.service.js';
import { RefreshTokensRepository } from './refresh-tokens.repository.js';
import { RefreshTokensService } from './refresh-tokens.service.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';
import { TokenChecksService } from './token-checks.service.js';
import { TokensService } from './tokens.service.js';

/** Global, since the guards of every route find the Passport strategies by name. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([Session, RefreshToken]), AdminsModule, UsersModule],
  controllers: [
    AuthController,
    AdminAuthController,
    AdminAccountController,
    CookieController,
    CookieAdminController,
  ],
  providers: [
    DevicesRepository,
    DevicesService,
    ExpiredSessionsJob,
    IdentityProviderClient,
    PasswordsService,
    PrincipalsService,
    RefreshTokensRepository,
    RefreshTokensService,
    SessionsRepository,
    SessionsService,
    SignInService,
    TokenChecksService,
    TokensService,
    { provide: 'bearer', useClass: BearerStrategy },
    { provide: 'user-cookie', useClass: UserCookieStrategy },
    { provide: 'admin-cookie', useClass: AdminCookieStrategy },
    { provide: 'identity-provider', useClass: IdentityProviderStrategy },
  ],
  exports: [AdminsModule, DevicesService, SessionsService, SignInService, IdentityProviderClient],
})
export class AuthModule {}
