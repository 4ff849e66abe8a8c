import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AdminsModule } from '../admins/admins.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminAccountController, AdminAuthController } from './admin-auth.controller.js';
import { AuthController, UserSessionsController } from './auth.controller.js';
import {
  BearerStrategy,
  AdminCookieStrategy,
  UserCookieStrategy,
  IdentityProviderStrategy,
} from './auth.strategy.js';
import { CookieAdminController, CookieController } from './cookie.controller.js';
import { DevicesService } from './devices.service.js';
import { Session, RefreshToken, SignIn } from './entities/session.entity.js';
import { ExpiredSessionsJob, SessionActivityJob } from './sessions.job.js';
import { IdentityProviderClient, IdentityProviderKeysClient } from './identity-provider.client.js';
import { PasswordsService, AdminPasswordsService } from './passwords.service.js';
import { PrincipalsService } from './principals.service.js';
import { RefreshTokensService } from './refresh-tokens.service.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';
import { SignInsRepository } from './sign-ins.repository.js';
import { TokenChecksService } from './token-checks.service.js';
import { TokensService } from './tokens.service.js';
import { UserSessionsService } from './user-sessions.service.js';

/** Global: the modules live, metrics and user-admin use services of sessions and admins without importing this module. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([Session, RefreshToken, SignIn]), AdminsModule, UsersModule],
  controllers: [
    AuthController,
    AdminAuthController,
    AdminAccountController,
    CookieController,
    CookieAdminController,
    UserSessionsController,
  ],
  providers: [
    AdminPasswordsService,
    DevicesService,
    ExpiredSessionsJob,
    IdentityProviderClient,
    IdentityProviderKeysClient,
    PasswordsService,
    PrincipalsService,
    RefreshTokensService,
    SessionActivityJob,
    SessionsRepository,
    SessionsService,
    SignInService,
    SignInsRepository,
    TokenChecksService,
    TokensService,
    UserSessionsService,
    // `ApplicationStrategy` finds the strategies by these names.
    { provide: 'bearer', useClass: BearerStrategy },
    { provide: 'user-cookie', useClass: UserCookieStrategy },
    { provide: 'admin-cookie', useClass: AdminCookieStrategy },
    { provide: 'identity-provider', useClass: IdentityProviderStrategy },
  ],
  exports: [
    AdminsModule,
    DevicesService,
    IdentityProviderClient,
    SessionsService,
    SignInService,
    UserSessionsService,
  ],
})
export class AuthModule {}
