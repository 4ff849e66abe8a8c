import { Choice, Count, Flag, Instant, Nested, Text, TextList, Uuid } from '../../../http/openapi/fields.js';
import { StatusUserResponse } from './auth.response.js';

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

export class AuthCheckResponse {
  @Flag() authenticated!: boolean;
  @Choice(['user', 'admin']) type!: string;
  @Nested(() => StatusUserResponse) user!: StatusUserResponse;
  @Flag() isAdmin!: boolean;
  @Instant() issuedAt!: string;
  @Instant() expiresAt!: string;
}

export class RefreshCheckResponse {
  @Flag({ description: 'it would be accepted; it is not spent by asking' }) valid!: boolean;
  @Instant({ nullable: true }) expiresAt!: string | null;
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

export class AdminHealthResponse {
  @Choice(['healthy', 'degraded', 'unhealthy'], {
    description: 'degraded: ADMINS_FILE has a fault; unhealthy: there is no admin to sign in',
  })
  status!: string;
  @Count({ description: 'admins whom the configuration lists' }) adminsConfigured!: number;
}
