import { Choice, Count, Flag, Instant, Nested, Text, TextList, Uuid } from '../../../http/openapi/fields.js';
import type { AdminPrincipal, Principal } from '../../../http/auth/principal.js';
import type { Admin } from '../../admins/admin-directory.service.js';
import type { UserSummary } from '../../users/users.service.js';
import type { SignedIn, TokenPair } from '../sign-in.service.js';
import { TOKEN_TTL_SECONDS } from '../tokens.service.js';

export class SignedInUserResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true }) full_name!: string | null;
  @Instant() created_at!: string;
}

export class SignedInResponse {
  @Text({ description: 'JWT of the service' }) token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Choice(['Bearer']) tokenType!: string;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
  @Nested(() => SignedInUserResponse) user!: SignedInUserResponse;
  @Flag() isAdmin!: boolean;
  @TextList({ optional: true, description: 'for admins only' }) adminPermissions?: string[];
  @Text({ optional: true, description: 'as it was given' }) redirectUrl?: string;
}

export function toSignedInUserResponse(user: UserSummary): SignedInUserResponse {
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    created_at: user.createdAt.toISOString(),
  };
}

export function toSignedInResponse({ token, refreshToken, user, admin }: SignedIn): SignedInResponse {
  return {
    token,
    expiresIn: TOKEN_TTL_SECONDS,
    tokenType: 'Bearer',
    refreshToken,
    user: toSignedInUserResponse(user),
    isAdmin: admin !== undefined,
    ...(admin ? { adminPermissions: [...admin.permissions] } : {}),
  };
}

export class UserProfileResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true }) full_name!: string | null;
  @Instant() created_at!: string;
  @Instant() updated_at!: string;
  @Instant({ nullable: true }) last_login_at!: string | null;
  @Choice(['active', 'inactive', 'suspended']) status!: string;
}

export function toUserProfileResponse(user: UserSummary): UserProfileResponse {
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

export class MessageResponse {
  @Text() message!: string;
}

export class StatusUserResponse {
  @Uuid() id!: string;
  @Text() email!: string;
}

export class AuthStatusResponse {
  @Flag() authenticated!: boolean;
  @Nested(() => StatusUserResponse, { optional: true }) user?: StatusUserResponse;
  @Flag({ optional: true }) tokenValid?: boolean;
  @Flag({ optional: true }) isAdmin?: boolean;
  @Choice(['no_token', 'invalid_token'], { optional: true }) reason?: string;
}

export function toAuthStatusResponse(
  principal: Principal | undefined,
  authorization: string | undefined,
): AuthStatusResponse {
  if (!principal) return { authenticated: false, reason: authorization ? 'invalid_token' : 'no_token' };
  return {
    authenticated: true,
    user: { id: principal.id, email: principal.email },
    tokenValid: true,
    isAdmin: principal.type === 'admin',
  };
}

class AdminAccountResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text() name!: string;
  @TextList() roles!: string[];
  @TextList() permissions!: string[];
}

export class AdminLoginAccountResponse extends AdminAccountResponse {
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null where it does not' })
  createdAt!: string | null;
  @Instant() lastLoginAt!: string;
}

export function toAdminLoginAccountResponse(admin: Admin, now: Date): AdminLoginAccountResponse {
  return {
    ...toAdminAccountResponse(admin),
    createdAt: admin.createdAt?.toISOString() ?? null,
    lastLoginAt: now.toISOString(),
  };
}

export class AdminSignedInResponse {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
  @Nested(() => AdminLoginAccountResponse) admin!: AdminLoginAccountResponse;
}

function toAdminAccountResponse(admin: Admin): AdminAccountResponse {
  const { id, email, name } = admin;
  return { id, email, name, roles: [...admin.roles], permissions: [...admin.permissions] };
}

export function toAdminSignedInResponse(
  { token, refreshToken, admin }: TokenPair & { admin: Admin },
  now: Date,
): AdminSignedInResponse {
  return {
    token,
    expiresIn: TOKEN_TTL_SECONDS,
    refreshToken,
    admin: toAdminLoginAccountResponse(admin, now),
  };
}

export class AdminVerifiedResponse {
  @Flag() valid!: boolean;
  @Nested(() => AdminAccountResponse) admin!: AdminAccountResponse;
  @Instant() expiresAt!: string;
  @Instant() issuedAt!: string;
}

export function toAdminVerifiedResponse(principal: AdminPrincipal, admin: Admin): AdminVerifiedResponse {
  return {
    valid: true,
    admin: toAdminAccountResponse(admin),
    expiresAt: principal.expiresAt.toISOString(),
    issuedAt: principal.issuedAt.toISOString(),
  };
}

export class AdminSignedOutResponse {
  @Text() message!: string;
  @Instant() loggedOutAt!: string;
}

export class RefreshedResponse {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Choice(['Bearer']) tokenType!: string;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
}

export function toRefreshedResponse({ token, refreshToken }: TokenPair): RefreshedResponse {
  return { token, expiresIn: TOKEN_TTL_SECONDS, tokenType: 'Bearer', refreshToken };
}

export class AdminRefreshedResponse {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
}

export function toAdminRefreshedResponse({ token, refreshToken }: TokenPair): AdminRefreshedResponse {
  return { token, expiresIn: TOKEN_TTL_SECONDS, refreshToken };
}
