import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

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

export interface RequestWithPrincipal extends Request {
  principal?: Principal;
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

/** Whoever is signed in, or undefined: for routes that take either token, or none. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(context),
);
