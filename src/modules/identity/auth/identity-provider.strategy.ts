import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Strategy } from 'passport-custom';
import { ApplicationStrategy, bearerToken } from '../../../http/auth/strategies.js';
import { routerPath } from '../../../http/request/request-target.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { Identity } from './auth.types.js';
import { IdentityProviderClient } from './identity-provider.client.js';

/** Authenticates by the identity provider's JWT in the Authorization header; jose verifies it: passport-jwt lacks EdDSA. */
@Injectable()
export class IdentityProviderStrategy extends ApplicationStrategy(Strategy, 'identity-provider') {
  constructor(private readonly identityProvider: IdentityProviderClient) {
    super();
  }

  /** Throws VALIDATION_ERROR without the header, and the errors of `IdentityProviderClient.verify`. */
  async validate(request: Request): Promise<Identity> {
    if (!request.headers.authorization)
      throwError('VALIDATION_ERROR', [{ field: 'authorization', message: 'header is missing' }]);
    return this.identityProvider.verify(bearerToken(request));
  }
}

/** The person whose JWT `IdentityProviderGuard` has verified. */
export const CurrentIdentity = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<Request & { identity: Identity }>().identity,
);

/**
 * Serves the sign-in also at a path with the identity provider's own name. Mounted on the whole application, since a
 * middleware that is mounted on a path cannot forward a request to another path.
 */
export function identityProviderAlias(name: string): RequestHandler {
  const alias = `/api/auth/${name}/login`; // names have lower-case letters only
  return (request: Request, _response: Response, next: NextFunction) => {
    const { path, url } = request;
    if (routerPath(path) === alias) request.url = `/api/auth/idp/login${url.slice(path.length)}`;
    next();
  };
}
