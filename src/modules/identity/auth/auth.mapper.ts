import type { Response } from 'express';
import type { DomainError } from '../../../common/errors/domain-error.js';
import type { Principal } from '../../../http/auth/principal.js';
import type { SessionCookies } from '../../../http/auth/session-cookies.js';
import { EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import type { AdminAccount } from '../admins/admin-accounts.service.js';
import type { Admin } from '../admins/admin-directory.service.js';
import type { User } from '../users/entities/user.entity.js';
import {
  ACCESS_TOKEN_TTL_SECONDS,
  type AccessTokenCheck,
  type SessionKind,
  type SignedIn,
  type SignedInAdmin,
  type TokenPair,
  type UserSession,
} from './auth.types.js';
import type { SignIn } from './entities/session.entity.js';
import {
  type AdminHealthResponse,
  AdminLoginAccountResponse,
  AdminProfileResponse,
  type AdminRefreshedResponse,
  type AdminSignedInResponse,
  type AdminSignedOutResponse,
  type AuthStatusResponse,
  type CookieAdminSignedInResponse,
  type CookieSignedInResponse,
  type EndedSessionsResponse,
  type RefreshCheckResponse,
  type RefreshedResponse,
  SessionResponse,
  type SignedInResponse,
  SignedInUserResponse,
  SignInResponse,
  type TokenCheckResponse,
  UserProfileResponse,
} from './dto/auth.response.js';
import { toResponse } from '../../../http/response/to-response.js';

export type SignInEnvelope = EnvelopedResponse<SignedInResponse | CookieSignedInResponse>;

/** The response to a sign-in: it has the access token or, for a cookie session, sets the cookie and has the csrfToken. */
export function toSignInEnvelope(
  { user, admin, token, refreshToken, csrfToken }: SignedIn,
  kind: SessionKind,
  {
    response,
    cookies,
    redirectUrl,
  }: { response: Response; cookies: SessionCookies; redirectUrl?: string | undefined },
): SignInEnvelope {
  const { fullName: full_name, createdAt: created_at } = user;
  const fields = {
    expiresIn: ACCESS_TOKEN_TTL_SECONDS,
    user: toResponse(SignedInUserResponse, user, { full_name, created_at }),
    isAdmin: admin !== undefined,
    ...(admin ? { adminPermissions: [...admin.permissions] } : {}),
    ...(redirectUrl === undefined ? {} : { redirectUrl }),
  };
  const message = admin ? 'Admin authentication successful' : 'Authentication successful';
  if (kind === 'bearer')
    return new EnvelopedResponse(
      { session: 'bearer', token, tokenType: 'Bearer', refreshToken, ...fields },
      { message },
    );
  cookies.write(response, admin ? 'admin' : 'user', token, ACCESS_TOKEN_TTL_SECONDS);
  return new EnvelopedResponse({ session: 'cookie', csrfToken, ...fields }, { message });
}

export function toUserProfileResponse(user: User): UserProfileResponse {
  return toResponse(UserProfileResponse, user, {
    full_name: user.fullName,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    last_login_at: user.lastLoginAt,
  });
}

export function toAuthStatusResponse(
  principal: Principal | undefined,
  refusal: DomainError | undefined,
): AuthStatusResponse {
  // A session cookie without its X-CSRF-Token counts as no token.
  const hasToken = refusal !== undefined && !['TOKEN_MISSING', 'CSRF_INVALID'].includes(refusal.code);
  if (!principal) return { authenticated: false, reason: hasToken ? 'invalid_token' : 'no_token' };
  return {
    authenticated: true,
    user: { id: principal.id, email: principal.email },
    tokenValid: true,
    isAdmin: principal.type === 'admin',
  };
}

function toAdminLoginAccountResponse(admin: Admin, now: Date): AdminLoginAccountResponse {
  return toResponse(AdminLoginAccountResponse, admin, { lastLoginAt: now });
}

export function toAdminSignedInResponse(signedIn: SignedInAdmin, now: Date): AdminSignedInResponse {
  return {
    ...toAdminRefreshedResponse(signedIn),
    admin: toAdminLoginAccountResponse(signedIn.admin, now),
  };
}

export function toAdminSignedOutResponse(now: Date): AdminSignedOutResponse {
  return { message: 'Logged out successfully', loggedOutAt: now.toISOString() };
}

export function toRefreshedResponse({ token, refreshToken }: TokenPair): RefreshedResponse {
  return { token, expiresIn: ACCESS_TOKEN_TTL_SECONDS, tokenType: 'Bearer', refreshToken };
}

export function toAdminRefreshedResponse({ token, refreshToken }: TokenPair): AdminRefreshedResponse {
  return { token, expiresIn: ACCESS_TOKEN_TTL_SECONDS, refreshToken };
}

export function toCookieAdminSignedInResponse(
  { csrfToken, admin }: SignedInAdmin,
  now: Date,
): CookieAdminSignedInResponse {
  return { csrfToken, expiresIn: ACCESS_TOKEN_TTL_SECONDS, admin: toAdminLoginAccountResponse(admin, now) };
}

export function toAdminProfileResponse(admin: AdminAccount): AdminProfileResponse {
  return toResponse(AdminProfileResponse, admin, { role: admin.roles[0] ?? null });
}

export function toRefreshCheckResponse(expiresAt: Date | null): RefreshCheckResponse {
  return { valid: expiresAt !== null, expiresAt: expiresAt?.toISOString() ?? null };
}

export function toTokenCheckResponse({ principal, reason }: AccessTokenCheck): TokenCheckResponse {
  return {
    valid: principal !== null,
    type: principal?.type ?? null,
    subject: principal?.id ?? null,
    expiresAt: principal?.expiresAt?.toISOString() ?? null,
    reason,
  };
}

export function toSessionResponse(session: UserSession): SessionResponse {
  return toResponse(SessionResponse, session, { current: session.isCurrent });
}

export function toSignInResponse(signIn: SignIn): SignInResponse {
  return toResponse(SignInResponse, signIn, { id: signIn.familyId });
}

export function toEndedSessionsResponse(ended: number): EndedSessionsResponse {
  return { ended };
}

export function toAdminHealthResponse(
  adminsConfigured: number,
  isFileReadable: boolean,
): AdminHealthResponse {
  if (adminsConfigured === 0) return { status: 'unhealthy', adminsConfigured };
  return { status: isFileReadable ? 'healthy' : 'degraded', adminsConfigured };
}
