import type { DomainError } from '../../../common/errors/domain-error.js';
import type { AdminPrincipal, Principal, SessionUser } from '../../../http/auth/principal.js';
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
import type { SignIn } from './entities/sign-in.entity.js';
import {
  type AdminHealthResponse,
  AdminLoginAccountResponse,
  AdminProfileResponse,
  type AdminRefreshedResponse,
  type AdminSignedInResponse,
  type AdminSignedOutResponse,
  AdminVerifiedResponse,
  AuthCheckResponse,
  type AuthStatusResponse,
  type CookieAdminSignedInResponse,
  CookieAdminVerifiedResponse,
  type CookieSignedInResponse,
  CookieVerifiedResponse,
  type EndedSessionsResponse,
  type RefreshCheckResponse,
  type RefreshedResponse,
  SessionResponse,
  type SignedInResponse,
  type SignedInUserResponse,
  SignInResponse,
  type TokenCheckResponse,
  type UserProfileResponse,
} from './dto/auth.response.js';
import { toResponse } from '../../../http/response/to-response.js';

function toSignedInUserResponse(user: User): SignedInUserResponse {
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    created_at: user.createdAt.toISOString(),
  };
}

function toSignedInFields({ user, admin }: SignedIn) {
  return {
    expiresIn: ACCESS_TOKEN_TTL_SECONDS,
    user: toSignedInUserResponse(user),
    isAdmin: admin !== undefined,
    ...(admin ? { adminPermissions: [...admin.permissions] } : {}),
  };
}

function toSignedInResponse(signedIn: SignedIn): SignedInResponse {
  const { token, refreshToken } = signedIn;
  return { session: 'bearer', token, tokenType: 'Bearer', refreshToken, ...toSignedInFields(signedIn) };
}

/** The response to a sign-in: it has the access token, or for a cookie session the csrfToken. */
export function toSignInEnvelope(
  signedIn: SignedIn,
  kind: SessionKind,
  redirectUrl?: string,
): EnvelopedResponse<SignedInResponse | CookieSignedInResponse> {
  const data = kind === 'cookie' ? toCookieSignedInResponse(signedIn) : toSignedInResponse(signedIn);
  const message = signedIn.admin ? 'Admin authentication successful' : 'Authentication successful';
  return new EnvelopedResponse(redirectUrl === undefined ? data : { ...data, redirectUrl }, { message });
}

export function toUserProfileResponse(user: User): UserProfileResponse {
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    status: user.status,
  };
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

export function toAdminSignedInResponse(
  { token, refreshToken, admin }: SignedInAdmin,
  now: Date,
): AdminSignedInResponse {
  return {
    token,
    expiresIn: ACCESS_TOKEN_TTL_SECONDS,
    refreshToken,
    admin: toAdminLoginAccountResponse(admin, now),
  };
}

export function toAdminSignedOutResponse(now: Date): AdminSignedOutResponse {
  return { message: 'Logged out successfully', loggedOutAt: now.toISOString() };
}

export function toAdminVerifiedResponse(principal: AdminPrincipal, admin: Admin): AdminVerifiedResponse {
  return toResponse(AdminVerifiedResponse, principal, { valid: true, admin });
}

export function toRefreshedResponse({ token, refreshToken }: TokenPair): RefreshedResponse {
  return { token, expiresIn: ACCESS_TOKEN_TTL_SECONDS, tokenType: 'Bearer', refreshToken };
}

export function toAdminRefreshedResponse({ token, refreshToken }: TokenPair): AdminRefreshedResponse {
  return { token, expiresIn: ACCESS_TOKEN_TTL_SECONDS, refreshToken };
}

function toCookieSignedInResponse(signedIn: SignedIn): CookieSignedInResponse {
  return { session: 'cookie', csrfToken: signedIn.csrfToken, ...toSignedInFields(signedIn) };
}

export function toCookieAdminSignedInResponse(
  { csrfToken, admin }: SignedInAdmin,
  now: Date,
): CookieAdminSignedInResponse {
  return { csrfToken, expiresIn: ACCESS_TOKEN_TTL_SECONDS, admin: toAdminLoginAccountResponse(admin, now) };
}

export function toCookieVerifiedResponse(user: SessionUser, csrfToken: string): CookieVerifiedResponse {
  return toResponse(CookieVerifiedResponse, user, { valid: true, user, csrfToken });
}

export function toCookieAdminVerifiedResponse(
  principal: AdminPrincipal,
  admin: Admin,
  csrfToken: string,
): CookieAdminVerifiedResponse {
  return toResponse(CookieAdminVerifiedResponse, principal, { valid: true, admin, csrfToken });
}

export function toAdminProfileResponse(admin: AdminAccount): AdminProfileResponse {
  return toResponse(AdminProfileResponse, admin, { role: admin.roles[0] ?? null });
}

export function toAuthCheckResponse(principal: Principal): AuthCheckResponse {
  return toResponse(AuthCheckResponse, principal, {
    authenticated: true,
    user: principal,
    isAdmin: principal.type === 'admin',
  });
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
