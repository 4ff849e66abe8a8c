import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import type { Strategy } from 'passport';

/** The strategies are injectable under these names, too. */
export type StrategyName = 'bearer' | 'user-cookie' | 'admin-cookie' | 'identity-provider';

/** What our guards pass to a strategy beside the request. */
export interface StrategyOptions {
  /** Of the application that received the request. */
  readonly moduleRef: Pick<ModuleRef, 'get'>;
}

/**
 * Nest's `PassportStrategy`, bound to the application that received the request. Passport keeps one strategy per name for
 * the whole process, the last one that was made; the tests run several applications in one process.
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

/** The token of `Authorization: Bearer <token>`; of any other form of the header a text that every verification refuses. */
export function bearerToken(request: Pick<Request, 'headers'>): string {
  const [, token = 'malformed'] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  return token;
}
