import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { DomainError } from '../../common/errors/domain-error.js';
import type { ApiKeyScope } from './api-key-scopes.js';

interface PrincipalOf<Type extends 'user' | 'admin'> {
  readonly type: Type;
  readonly id: string;
  readonly email: string;
  /** Claim jti of the token; for an API key, which has no session, the id of the key. */
  readonly sessionId: string;
  /** Null for an API key that does not expire. */
  readonly expiresAt: Date | null;
  /** When the token was issued or the API key was created. */
  readonly issuedAt: Date;
  /** The sign-in from which the session descends. Absent for an API key. */
  readonly familyId?: string;
}

/** The API key with which a user's request was authenticated. */
export interface ApiKeyGrant {
  readonly id: string;
  readonly scopes: readonly ApiKeyScope[];
  /** The networks to which the key is bound, in CIDR notation; null: it works from every address. */
  readonly networks: readonly string[] | null;
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
  /** The session can only register a second factor: ADMIN_SECOND_FACTOR requires one, and none has completed the sign-in. */
  readonly needsSecondFactor?: boolean;
}

export type Principal = UserPrincipal | AdminPrincipal;

/** A request with the result of `AuthenticationGuard`. */
export interface RequestWithPrincipal extends Request {
  principal?: Principal;
  /** Why authentication has found no principal. */
  refusal?: DomainError;
  /** The request only reads, and its route accepts cookies only, so it needs no X-CSRF-Token. */
  isCsrfExempt?: boolean;
}

const principalOf = (_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<RequestWithPrincipal>().principal;

/** The user of a `@UserRoute()` or a `@CookieRoute('user')`. */
export const CurrentUser = createParamDecorator(principalOf);

/** The admin of an `@AdminRoute()` or a `@CookieRoute('admin')`. */
export const CurrentAdmin = createParamDecorator(principalOf);

/** The user or admin, or undefined without a valid token. For routes that accept tokens of both types. */
export const CurrentPrincipal = createParamDecorator(principalOf);
