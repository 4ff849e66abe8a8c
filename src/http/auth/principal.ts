import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { DomainError } from '../../common/errors/domain-error.js';

interface PrincipalOf<Type extends 'user' | 'admin'> {
  readonly type: Type;
  readonly id: string;
  readonly email: string;
  /** Claim jti of the token. */
  readonly sessionId: string;
  readonly expiresAt: Date;
  readonly issuedAt: Date;
}

export type UserPrincipal = PrincipalOf<'user'>;

export interface AdminPrincipal extends PrincipalOf<'admin'> {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

export type Principal = UserPrincipal | AdminPrincipal;

/** A request with the result of `AuthenticationGuard`. */
export interface RequestWithPrincipal extends Request {
  principal?: Principal;
  /** Why there is no principal. */
  refusal?: DomainError;
  /** The request only reads, and its route accepts cookies only, so it needs no X-CSRF-Token. */
  isCsrfExempt?: boolean;
}

const principalOf = (_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<RequestWithPrincipal>().principal;

/** The signed-in user of a `@UserRoute()`. */
export const CurrentUser = createParamDecorator(principalOf);

/** The signed-in admin of an `@AdminRoute()`. */
export const CurrentAdmin = createParamDecorator(principalOf);

/** The signed-in user or admin, or undefined without a token. For routes that accept tokens of both types. */
export const CurrentPrincipal = createParamDecorator(principalOf);
