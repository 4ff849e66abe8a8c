import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { DomainError } from '../../common/errors/domain-error.js';

export interface UserPrincipal {
  readonly type: 'user';
  readonly id: string;
  readonly email: string;
  /** Claim jti: the session behind the token. */
  readonly sessionId: string;
  readonly expiresAt: Date;
  readonly issuedAt: Date;
}

export interface AdminPrincipal {
  readonly type: 'admin';
  readonly id: string;
  readonly email: string;
  readonly sessionId: string;
  readonly expiresAt: Date;
  readonly issuedAt: Date;
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

function principalOf(context: ExecutionContext): Principal | undefined {
  return context.switchToHttp().getRequest<RequestWithPrincipal>().principal;
}

/** The signed-in user of a `@UserRoute()`. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(context),
);

/** The signed-in admin of an `@AdminRoute()`. */
export const CurrentAdmin = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(context),
);

/** The signed-in user or admin; undefined without a token. For routes that take no token or tokens of both kinds. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(context),
);
