import { Choice, Count, Flag, Instant, Nested, Text, TextList, Uuid } from '../../../http/openapi/fields.js';

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

export class UserProfileResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true }) full_name!: string | null;
  @Instant() created_at!: string;
  @Instant() updated_at!: string;
  @Instant({ nullable: true }) last_login_at!: string | null;
  @Choice(['active', 'inactive', 'suspended']) status!: string;
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

export class AdminAccountResponse {
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

export class AdminSignedInResponse {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
  @Nested(() => AdminLoginAccountResponse) admin!: AdminLoginAccountResponse;
}

export class AdminVerifiedResponse {
  @Flag() valid!: boolean;
  @Nested(() => AdminAccountResponse) admin!: AdminAccountResponse;
  @Instant() expiresAt!: string;
  @Instant() issuedAt!: string;
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

export class AdminRefreshedResponse {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Text({ description: 'good for one new pair, within 7 days' }) refreshToken!: string;
}
