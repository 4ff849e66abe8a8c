import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { DomainError } from '../../common/errors/domain-error.js';
import type { ApiKeyScope } from './api-key-scopes.js';

interface PrincipalOf<Type extends 'user' | 'admin'> {
  readonly type: Type;
  readonly id: string;
  readonly email: string;
  /** Claim jti of the token. For an API key, which has no session: the id of the key, which is the id of no session. */
  readonly sessionId: string;
  /** Null for an API key that does not expire. */
  readonly expiresAt: Date | null;
  readonly issuedAt: Date;
}

/** The API key with which a user's request was authenticated. */
export interface ApiKeyGrant {
  readonly id: string;
  readonly scopes: readonly ApiKeyScope[];
}

export interface UserPrincipal extends PrincipalOf<'user'> {
  /** Absent for a request with an access token or a session cookie. */
  readonly apiKey?: ApiKeyGrant;
}

/** The user of a route that accepts no API key. */
export type SessionUser = UserPrincipal & { readonly expiresAt: Date };

export interface AdminPrincipal extends PrincipalOf<'admin'> {
  readonly expiresAt: Date;
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
