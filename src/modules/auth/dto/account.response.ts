import { Choice, Count, Flag, Instant, Nested, Text, TextList, Uuid } from '../../../http/openapi/fields.js';
import type { Principal } from '../../../http/auth/principal.js';
import type { AdminAccount } from '../../admins/admin-accounts.service.js';
import { StatusUserResponse } from './auth.response.js';
import type { RefreshCheck, TokenCheck } from '../token-checks.service.js';

/** The account of an admin. */
export class AdminProfileResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text() name!: string;
  @TextList() roles!: string[];
  @TextList({ description: '* is all' }) permissions!: string[];
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null where it does not' })
  createdAt!: string | null;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
  @Choice(['active', 'disabled']) status!: string;
  @Text({ nullable: true, description: 'the first of the roles' }) role!: string | null;
}

export function toAdminProfileResponse(admin: AdminAccount): AdminProfileResponse {
  return {
    id: admin.id,
    email: admin.email,
    name: admin.name,
    roles: [...admin.roles],
    permissions: [...admin.permissions],
    createdAt: admin.createdAt?.toISOString() ?? null,
    lastLoginAt: admin.lastLoginAt?.toISOString() ?? null,
    status: admin.status,
    role: admin.roles[0] ?? null,
  };
}

export class AuthCheckResponse {
  @Flag() authenticated!: boolean;
  @Choice(['user', 'admin']) type!: string;
  @Nested(() => StatusUserResponse) user!: StatusUserResponse;
  @Flag() isAdmin!: boolean;
  @Instant() issuedAt!: string;
  @Instant() expiresAt!: string;
}

export function toAuthCheckResponse(principal: Principal): AuthCheckResponse {
  return {
    authenticated: true,
    type: principal.type,
    user: { id: principal.id, email: principal.email },
    isAdmin: principal.type === 'admin',
    issuedAt: principal.issuedAt.toISOString(),
    expiresAt: principal.expiresAt.toISOString(),
  };
}

export class RefreshCheckResponse {
  @Flag({ description: 'it would be accepted; it is not spent by asking' }) valid!: boolean;
  @Instant({ nullable: true }) expiresAt!: string | null;
}

export function toRefreshCheckResponse({ expiresAt }: RefreshCheck): RefreshCheckResponse {
  return { valid: expiresAt !== null, expiresAt: expiresAt?.toISOString() ?? null };
}

export class TokenCheckResponse {
  @Flag() valid!: boolean;
  @Choice(['user', 'admin'], { nullable: true }) type!: string | null;
  @Uuid({ nullable: true, description: 'whose it is' }) subject!: string | null;
  @Instant({ nullable: true }) expiresAt!: string | null;
  @Choice(['expired', 'invalid', 'not_active'], {
    nullable: true,
    description: 'why it is not valid; a revoked token is invalid',
  })
  reason!: string | null;
}

export function toTokenCheckResponse({ principal, reason }: TokenCheck): TokenCheckResponse {
  return {
    valid: principal !== null,
    type: principal?.type ?? null,
    subject: principal?.id ?? null,
    expiresAt: principal?.expiresAt.toISOString() ?? null,
    reason,
  };
}

export class AdminHealthResponse {
  @Choice(['healthy', 'degraded', 'unhealthy'], {
    description: 'degraded: ADMINS_FILE has a fault; unhealthy: there is no admin to sign in',
  })
  status!: string;
  @Count({ description: 'admins whom the configuration lists' }) adminsConfigured!: number;
}

export function toAdminHealthResponse(
  adminsConfigured: number,
  isFileReadable: boolean,
): AdminHealthResponse {
  const status = adminsConfigured === 0 ? 'unhealthy' : isFileReadable ? 'healthy' : 'degraded';
  return { status, adminsConfigured };
}
