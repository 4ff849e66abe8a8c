import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { StrategyOptions } from './strategies.js';

/** Guards the routes that take a JWT of the identity provider. Sets `request.identity` to the `Identity` of the JWT. */
@Injectable()
export class IdentityProviderGuard extends AuthGuard('identity-provider') {
  constructor(private readonly moduleRef: ModuleRef) {
    super();
  }

  override getAuthenticateOptions(): StrategyOptions & { property: string } {
    return { property: 'identity', moduleRef: this.moduleRef };
  }
}
