import { Global, Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { Authenticator } from '../../http/auth/authenticator.js';
import { AdminDirectory } from '../admins/admin-directory.js';
import { UsersModule } from '../users/users.module.js';
import { AdminAuthController } from './admin-auth.controller.js';
import { AuthController } from './auth.controller.js';
import { Devices } from './devices.js';
import { IdentityProvider, JwksIdentityProvider } from './identity-provider.js';
import { Passwords } from './passwords.js';
import { RefreshTokens } from './refresh-tokens.js';
import { Sessions } from './sessions.js';
import { SignIn } from './sign-in.service.js';
import { TokenAuthenticator } from './token-authenticator.js';
import { Tokens } from './tokens.js';

/** Global for the one thing that every route needs: the authenticator. */
@Global()
@Module({
  imports: [UsersModule],
  controllers: [AuthController, AdminAuthController],
  providers: [
    AdminDirectory,
    Devices,
    Passwords,
    RefreshTokens,
    Sessions,
    SignIn,
    Tokens,
    { provide: IdentityProvider, useClass: JwksIdentityProvider },
    { provide: Authenticator, useClass: TokenAuthenticator },
  ],
  exports: [Authenticator],
})
export class AuthModule implements NestModule {
  constructor(private readonly config: AppConfig) {}

  /** The sign-in also stands under the identity provider's own name (D13). */
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((request: Request, _response: Response, next: NextFunction) => {
        request.url = request.url.replace(`/api/auth/${this.config.IDP_NAME}/login`, '/api/auth/idp/login');
        next();
      })
      .forRoutes(`api/auth/${this.config.IDP_NAME}/login`);
  }
}
