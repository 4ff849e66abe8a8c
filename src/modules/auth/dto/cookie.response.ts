import { Count, Flag, Instant, Nested, Text, TextList } from '../../../http/openapi/fields.js';
import type { AdminPrincipal, UserPrincipal } from '../../../http/auth/principal.js';
import type { Admin } from '../../admins/admin-directory.service.js';
import {
  AdminLoginAccountResponse,
  toAdminLoginAccountResponse,
  AdminVerifiedResponse,
  toAdminVerifiedResponse,
  SignedInUserResponse,
  toSignedInUserResponse,
  StatusUserResponse,
} from './auth.response.js';
import type { SignedIn, TokenPair } from '../sign-in.service.js';
import { TOKEN_TTL_SECONDS } from '../tokens.service.js';

// Answers of sessions whose token is in a cookie. It stands in none of them: scripts are not to read it.

const CSRF_TOKEN = { description: 'to be sent as X-CSRF-Token' };

export class CookieSignedInResponse {
  @Text(CSRF_TOKEN) csrfToken!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Nested(() => SignedInUserResponse) user!: SignedInUserResponse;
  @Flag() isAdmin!: boolean;
  @TextList({ optional: true, description: 'for admins only' }) adminPermissions?: string[];
  @Text({ optional: true, description: 'as it was given' }) redirectUrl?: string;
}

export function toCookieSignedInResponse({ csrfToken, user, admin }: SignedIn): CookieSignedInResponse {
  return {
    csrfToken,
    expiresIn: TOKEN_TTL_SECONDS,
    user: toSignedInUserResponse(user),
    isAdmin: admin !== undefined,
    ...(admin ? { adminPermissions: [...admin.permissions] } : {}),
  };
}

export class CookieAdminSignedInResponse {
  @Text(CSRF_TOKEN) csrfToken!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Nested(() => AdminLoginAccountResponse) admin!: AdminLoginAccountResponse;
}

export function toCookieAdminSignedInResponse(
  { csrfToken, admin }: TokenPair & { admin: Admin },
  now: Date,
): CookieAdminSignedInResponse {
  return { csrfToken, expiresIn: TOKEN_TTL_SECONDS, admin: toAdminLoginAccountResponse(admin, now) };
}

export class CookieVerifiedResponse {
  @Flag() valid!: boolean;
  @Nested(() => StatusUserResponse) user!: StatusUserResponse;
  @Instant() expiresAt!: string;
  @Instant() issuedAt!: string;
  @Text({ description: 'the one of the sign-in, for a page that was loaded again' }) csrfToken!: string;
}

export function toCookieVerifiedResponse(
  principal: UserPrincipal,
  csrfToken: string,
): CookieVerifiedResponse {
  return {
    valid: true,
    user: { id: principal.id, email: principal.email },
    expiresAt: principal.expiresAt.toISOString(),
    issuedAt: principal.issuedAt.toISOString(),
    csrfToken,
  };
}

export class CookieAdminVerifiedResponse extends AdminVerifiedResponse {
  @Text({ description: 'the one of the sign-in, for a page that was loaded again' }) csrfToken!: string;
}

export function toCookieAdminVerifiedResponse(
  principal: AdminPrincipal,
  admin: Admin,
  csrfToken: string,
): CookieAdminVerifiedResponse {
  return { ...toAdminVerifiedResponse(principal, admin), csrfToken };
}
