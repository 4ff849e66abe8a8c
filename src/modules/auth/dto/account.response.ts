import { Choice, Count, Flag, Instant, Nested, Text, TextList, Uuid } from '../../../http/openapi/fields.js';
import { StatusUserResponse } from './auth.response.js';

export class AdminProfileResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text() name!: string;
  @TextList() roles!: string[];
  @TextList({ description: '* means all' }) permissions!: string[];
  @Instant({ nullable: true, description: 'as stated in ADMINS_FILE; null if it is not' })
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
  @Instant({ nullable: true, description: 'null for an API key that does not expire' }) expiresAt!:
    string | null;
}

export class RefreshCheckResponse {
  @Flag({ description: 'whether the token would be accepted; checking does not spend it' }) valid!: boolean;
  @Instant({ nullable: true }) expiresAt!: string | null;
}

export class TokenCheckResponse {
  @Flag() valid!: boolean;
  @Choice(['user', 'admin'], { nullable: true }) type!: string | null;
  @Uuid({ nullable: true, description: 'id of the user or admin' }) subject!: string | null;
  @Instant({ nullable: true }) expiresAt!: string | null;
  @Choice(['expired', 'invalid', 'not_active'], {
    nullable: true,
    description: 'why the token is not valid; a revoked token is invalid',
  })
  reason!: string | null;
}

export class AdminHealthResponse {
  @Choice(['healthy', 'degraded', 'unhealthy'], {
    description: 'degraded: ADMINS_FILE is not valid; unhealthy: no admin is listed',
  })
  status!: string;
  @Count({ description: 'number of admins in ADMINS_FILE' }) adminsConfigured!: number;
}
