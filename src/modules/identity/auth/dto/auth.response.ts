import {
  Choice,
  Count,
  Flag,
  Instant,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { SESSION_KINDS, USER_SIGN_IN_METHODS } from '../auth.types.js';

export class SignedInUserResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true }) full_name!: string | null;
  @Instant() created_at!: string;
}

const REFRESH_TOKEN =
  'can be exchanged once, within 7 days, for new tokens; a later second use ends the session';

/** The field that tells the two responses to a sign-in apart, with its value in each of them. */
export const SESSION_FIELD = { name: 'session', values: SESSION_KINDS } as const;

export class SignedInResponse {
  @Choice(['bearer'], { description: 'the session of the request' }) session!: 'bearer';
  @Text({ description: 'access token (JWT)' }) token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Choice(['Bearer']) tokenType!: string;
  @Text({ description: REFRESH_TOKEN })
  refreshToken!: string;
  @Nested(() => SignedInUserResponse) user!: SignedInUserResponse;
  @Flag() isAdmin!: boolean;
  @TextList({ optional: true, description: 'for admins only' }) adminPermissions?: string[];
  @Text({ optional: true, description: 'the redirectUrl of the request' }) redirectUrl?: string;
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
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null if it states none' })
  createdAt!: string | null;
  @Instant() lastLoginAt!: string;
}

export class AdminSignedInResponse {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Text({ description: REFRESH_TOKEN })
  refreshToken!: string;
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
  @Text({ description: REFRESH_TOKEN })
  refreshToken!: string;
}

export class AdminRefreshedResponse {
  @Text() token!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Text({ description: REFRESH_TOKEN })
  refreshToken!: string;
}

export class AdminProfileResponse {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text() name!: string;
  @TextList() roles!: string[];
  @TextList({ description: '* means all' }) permissions!: string[];
  @Instant({ nullable: true, description: 'as ADMINS_FILE states it; null if it states none' })
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
    description:
      'why the token is not valid. invalid: also a revoked token, or the admin is not listed any more; not_active: the user is suspended or inactive, or the admin is disabled',
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

export class SessionResponse {
  @Uuid({ description: 'of the sign-in; refreshing a token keeps it' })
  id!: string;
  @Choice(SESSION_KINDS, { description: 'where the access token is kept' })
  kind!: string;
  @Instant({ description: 'of the sign-in' })
  createdAt!: string;
  @Instant({ description: 'of the last request in this session, exact to a minute' })
  lastSeenAt!: string;
  @Text({
    description: 'the header User-Agent of the sign-in, at most 120 characters; empty if there was none',
    example: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  })
  device!: string;
  @Flag({ description: 'the session of this request' })
  current!: boolean;
}

export class SignInResponse {
  @Uuid({ description: 'that of the session that it has opened' }) id!: string;
  @Instant() createdAt!: string;
  @Choice(USER_SIGN_IN_METHODS, { nullable: true, description: 'null for a sign-in at an earlier version' })
  method!: string | null;
  @Choice(SESSION_KINDS, { description: 'where the access token is kept' }) kind!: string;
  @Text({ description: 'the header User-Agent, at most 120 characters; empty if there was none' })
  device!: string;
  @Text({
    nullable: true,
    example: '203.0.113.7',
    description: 'IP address; null for a sign-in at an earlier version',
  })
  address!: string | null;
}

export class EndedSessionsResponse {
  @Count({ description: 'sessions that were ended' })
  ended!: number;
}

// The responses below are for sessions whose access token is in a cookie. None contains the token, because scripts must not be
// able to read it.

const CSRF_TOKEN = { description: 'has to be sent as X-CSRF-Token' };

export class CookieSignedInResponse {
  @Choice(['cookie'], { description: 'the session of the request' }) session!: 'cookie';
  @Text(CSRF_TOKEN) csrfToken!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Nested(() => SignedInUserResponse) user!: SignedInUserResponse;
  @Flag() isAdmin!: boolean;
  @TextList({ optional: true, description: 'for admins only' }) adminPermissions?: string[];
  @Text({ optional: true, description: 'the redirectUrl of the request' }) redirectUrl?: string;
}

export class CookieAdminSignedInResponse {
  @Text(CSRF_TOKEN) csrfToken!: string;
  @Count({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @Nested(() => AdminLoginAccountResponse) admin!: AdminLoginAccountResponse;
}

export class CookieVerifiedResponse {
  @Flag() valid!: boolean;
  @Nested(() => StatusUserResponse) user!: StatusUserResponse;
  @Instant() expiresAt!: string;
  @Instant() issuedAt!: string;
  @Text({ description: 'the csrfToken of the sign-in, for a page that was reloaded' }) csrfToken!: string;
}

export class CookieAdminVerifiedResponse extends AdminVerifiedResponse {
  @Text({ description: 'the csrfToken of the sign-in, for a page that was reloaded' }) csrfToken!: string;
}
