import { Count, Flag, Instant, Nested, Text, TextList } from '../../../http/openapi/fields.js';
import type { AdminPrincipal, UserPrincipal } from '../../../http/auth/principal.js';
import type { Admin } from '../../admins/admin-directory.js';
import {
  AdminLoginAccountView,
  adminLoginAccountView,
  AdminVerifiedView,
  adminVerifiedView,
  SignedInUserView,
  signedInUserView,
  StatusUserView,
} from './auth.response.js';
import type { SignedIn, TokenPair } from '../sign-in.service.js';
import { TOKEN_TTL_SECONDS } from '../tokens.js';

// Answers of sessions whose token is in a cookie. It stands in none of them: scripts are not to read it.

const CSRF_TOKEN = { description: 'to be sent as X-CSRF-Token' };

export class CookieSignedInView {
  @Text(CSRF_TOKEN) csrfToken!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Nested(() => SignedInUserView) user!: SignedInUserView;
  @Flag() isAdmin!: boolean;
  @TextList({ optional: true, description: 'for admins only' }) adminPermissions?: string[];
  @Text({ optional: true, description: 'as it was given' }) redirectUrl?: string;
}

export function cookieSignedInView({ csrfToken, user, admin }: SignedIn): CookieSignedInView {
  return {
    csrfToken,
    expiresIn: TOKEN_TTL_SECONDS,
    user: signedInUserView(user),
    isAdmin: admin !== undefined,
    ...(admin ? { adminPermissions: [...admin.permissions] } : {}),
  };
}

export class CookieAdminSignedInView {
  @Text(CSRF_TOKEN) csrfToken!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Nested(() => AdminLoginAccountView) admin!: AdminLoginAccountView;
}

export function cookieAdminSignedInView(
  { csrfToken, admin }: TokenPair & { admin: Admin },
  now: Date,
): CookieAdminSignedInView {
  return { csrfToken, expiresIn: TOKEN_TTL_SECONDS, admin: adminLoginAccountView(admin, now) };
}

export class CookieVerifiedView {
  @Flag() valid!: boolean;
  @Nested(() => StatusUserView) user!: StatusUserView;
  @Instant() expiresAt!: string;
  @Instant() issuedAt!: string;
  @Text({ description: 'the one of the sign-in, for a page that was loaded again' }) csrfToken!: string;
}

export function cookieVerifiedView(principal: UserPrincipal, csrfToken: string): CookieVerifiedView {
  return {
    valid: true,
    user: { id: principal.id, email: principal.email },
    expiresAt: principal.expiresAt.toISOString(),
    issuedAt: principal.issuedAt.toISOString(),
    csrfToken,
  };
}

export class CookieAdminVerifiedView extends AdminVerifiedView {
  @Text({ description: 'the one of the sign-in, for a page that was loaded again' }) csrfToken!: string;
}

export function cookieAdminVerifiedView(
  principal: AdminPrincipal,
  admin: Admin,
  csrfToken: string,
): CookieAdminVerifiedView {
  return { ...adminVerifiedView(principal, admin), csrfToken };
}
