import { Choice, Count, Flag, Instant, Nested, Text, TextList, Uuid } from '../../../http/openapi/fields.js';
import type { AdminPrincipal, Principal } from '../../../http/auth/principal.js';
import type { Admin } from '../../admins/admin-directory.js';
import type { User } from '../../users/users.service.js';
import type { SignedIn, TokenPair } from '../sign-in.service.js';
import { TOKEN_TTL_SECONDS } from '../tokens.js';

export class SignedInUserView {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true }) full_name!: string | null;
  @Instant() created_at!: string;
}

export class SignedInView {
  @Text({ description: 'JWT of the service' }) token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Choice(['Bearer']) tokenType!: string;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
  @Nested(() => SignedInUserView) user!: SignedInUserView;
  @Flag() isAdmin!: boolean;
  @TextList({ optional: true, description: 'for admins only' }) adminPermissions?: string[];
  @Text({ optional: true, description: 'as it was given' }) redirectUrl?: string;
}

export function signedInUserView(user: User): SignedInUserView {
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    created_at: user.createdAt.toISOString(),
  };
}

export function signedInView({ token, refreshToken, user, admin }: SignedIn): SignedInView {
  return {
    token,
    expiresIn: TOKEN_TTL_SECONDS,
    tokenType: 'Bearer',
    refreshToken,
    user: signedInUserView(user),
    isAdmin: admin !== undefined,
    ...(admin ? { adminPermissions: [...admin.permissions] } : {}),
  };
}

export class UserProfileView {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true }) full_name!: string | null;
  @Instant() created_at!: string;
  @Instant() updated_at!: string;
  @Instant({ nullable: true }) last_login_at!: string | null;
  @Choice(['active', 'inactive', 'suspended']) status!: string;
}

export function userProfileView(user: User): UserProfileView {
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

export class MessageView {
  @Text() message!: string;
}

export class StatusUserView {
  @Uuid() id!: string;
  @Text() email!: string;
}

export class AuthStatusView {
  @Flag() authenticated!: boolean;
  @Nested(() => StatusUserView, { optional: true }) user?: StatusUserView;
  @Flag({ optional: true }) tokenValid?: boolean;
  @Flag({ optional: true }) isAdmin?: boolean;
  @Choice(['no_token', 'invalid_token'], { optional: true }) reason?: string;
}

export function authStatusView(
  principal: Principal | undefined,
  authorization: string | undefined,
): AuthStatusView {
  if (!principal) return { authenticated: false, reason: authorization ? 'invalid_token' : 'no_token' };
  return {
    authenticated: true,
    user: { id: principal.id, email: principal.email },
    tokenValid: true,
    isAdmin: principal.type === 'admin',
  };
}

class AdminAccountView {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text() name!: string;
  @TextList() roles!: string[];
  @TextList() permissions!: string[];
}

export class AdminLoginAccountView extends AdminAccountView {
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null where it does not' })
  createdAt!: string | null;
  @Instant() lastLoginAt!: string;
}

export function adminLoginAccountView(admin: Admin, now: Date): AdminLoginAccountView {
  return {
    ...adminAccountView(admin),
    createdAt: admin.createdAt?.toISOString() ?? null,
    lastLoginAt: now.toISOString(),
  };
}

export class AdminSignedInView {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
  @Nested(() => AdminLoginAccountView) admin!: AdminLoginAccountView;
}

function adminAccountView(admin: Admin): AdminAccountView {
  const { id, email, name } = admin;
  return { id, email, name, roles: [...admin.roles], permissions: [...admin.permissions] };
}

export function adminSignedInView(
  { token, refreshToken, admin }: TokenPair & { admin: Admin },
  now: Date,
): AdminSignedInView {
  return {
    token,
    expiresIn: TOKEN_TTL_SECONDS,
    refreshToken,
    admin: adminLoginAccountView(admin, now),
  };
}

export class AdminVerifiedView {
  @Flag() valid!: boolean;
  @Nested(() => AdminAccountView) admin!: AdminAccountView;
  @Instant() expiresAt!: string;
  @Instant() issuedAt!: string;
}

export function adminVerifiedView(principal: AdminPrincipal, admin: Admin): AdminVerifiedView {
  return {
    valid: true,
    admin: adminAccountView(admin),
    expiresAt: principal.expiresAt.toISOString(),
    issuedAt: principal.issuedAt.toISOString(),
  };
}

export class AdminSignedOutView {
  @Text() message!: string;
  @Instant() loggedOutAt!: string;
}

export class RefreshedView {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Choice(['Bearer']) tokenType!: string;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
}

export function refreshedView({ token, refreshToken }: TokenPair): RefreshedView {
  return { token, expiresIn: TOKEN_TTL_SECONDS, tokenType: 'Bearer', refreshToken };
}

export class AdminRefreshedView {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
}

export function adminRefreshedView({ token, refreshToken }: TokenPair): AdminRefreshedView {
  return { token, expiresIn: TOKEN_TTL_SECONDS, refreshToken };
}
