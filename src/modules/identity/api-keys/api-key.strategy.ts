import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import type { UserPrincipal } from '../../../http/auth/principal.js';
import { ApplicationStrategy, bearerToken } from '../../../http/auth/strategies.js';
import { networkAddress } from '../../../http/throttling/caller-address.js';
import { ApiKeyAuthenticationService } from './api-key-authentication.service.js';

/** Authenticates by an API key in the Authorization header. */
@Injectable()
export class ApiKeyStrategy extends ApplicationStrategy(Strategy, 'api-key') {
  constructor(private readonly authentication: ApiKeyAuthenticationService) {
    super();
  }

  validate(request: Request): Promise<UserPrincipal> {
    return this.authentication.authenticate(bearerToken(request), networkAddress(request));
  }
}
