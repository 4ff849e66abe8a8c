import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { ApplicationStrategy, bearerToken } from '../../http/auth/strategies.js';
import { fail } from '../../common/errors/domain-error.js';
import { IdentityProviderClient, type Identity } from './identity-provider.client.js';

/** The identity provider's JWT in the Authorization header. By jose: passport-jwt knows no EdDSA. */
@Injectable()
export class IdentityProviderStrategy extends ApplicationStrategy(Strategy, 'identity-provider') {
  constructor(private readonly identityProvider: IdentityProviderClient) {
    super();
  }

  /** Throws VALIDATION_ERROR without the header, else as `IdentityProvider.verify`. */
  async validate(request: Request): Promise<Identity> {
    if (!request.headers.authorization)
      fail('VALIDATION_ERROR', [{ field: 'authorization', message: 'header is missing' }]);
    return this.identityProvider.verify(bearerToken(request));
  }
}

/** The person whose JWT `IdentityProviderGuard` has verified. */
export const CurrentIdentity = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<Request & { identity: Identity }>().identity,
);
