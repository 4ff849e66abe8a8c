import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import type { Strategy } from 'passport';
import { DomainError } from '../../common/errors/domain-error.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';

/** Each strategy is also injectable under its name. */
export type StrategyName = 'bearer' | 'api-key' | 'user-cookie' | 'admin-cookie' | 'identity-provider';

/** The options that the guards pass to a strategy. */
export interface StrategyOptions {
  /** The application that received the request. */
  readonly moduleRef: Pick<ModuleRef, 'get'>;
}

/**
 * Nest's `PassportStrategy`, bound to the application that received the request. Passport keeps one strategy per name for
 * the whole process, the latest one; the tests run several applications in one process.
 */
export function ApplicationStrategy<T extends Type<Strategy>>(Base: T, name: StrategyName) {
  const Mixin = PassportStrategy(Base, name);
  const { prototype } = Base as { prototype: { authenticate(request: Request): void } };
  Object.assign(Mixin.prototype as object, {
    authenticate(this: object, request: Request, { moduleRef }: StrategyOptions) {
      const strategy = Object.create(moduleRef.get<object>(name, { strict: false })) as object;
      // Passport has set the actions of this request, such as `success` and `fail`, on `this`.
      prototype.authenticate.call(Object.assign(strategy, this), request);
    },
  });
  return Mixin;
}

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

/** The token of `Authorization: Bearer <token>`. For a header of any other form: a text that no verification accepts. */
export function bearerToken(request: Pick<Request, 'headers'>): string {
  const [, token = 'malformed'] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  return token;
}

/** The codes of jsonwebtoken's errors, by the names of the errors. */
const CODE_OF_ERROR: Record<string, ErrorCode> = {
  TokenExpiredError: 'TOKEN_EXPIRED',
  NotBeforeError: 'TOKEN_INVALID',
  JsonWebTokenError: 'TOKEN_INVALID',
};

/**
 * The refusal of a request that every tried strategy has rejected: the refusal of its first token, or TOKEN_MISSING if it
 * carries no token. Throws a failure with another cause, such as an outage, so that it is not answered with 401.
 */
export function refusalOf(failures: readonly unknown[]): DomainError {
  const refusals = failures.map(asRefusal);
  return refusals.find(({ code }) => code !== 'TOKEN_MISSING') ?? new DomainError('TOKEN_MISSING');
}

function asRefusal(failure: unknown): DomainError {
  if (failure instanceof DomainError && failure.status < 500) return failure;
  if (!(failure instanceof Error)) throw failure;
  if (failure.message === 'No auth token') return new DomainError('TOKEN_MISSING'); // text of passport-jwt
  const code = CODE_OF_ERROR[failure.name];
  if (!code) throw failure;
  return new DomainError(code);
}
