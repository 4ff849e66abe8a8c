import {
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  NestedField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { SESSION_KINDS, USER_SIGN_IN_METHODS } from '../auth.types.js';

export class StatusUserResponse {
  @UuidField() id!: string;
  @StringField() email!: string;
}

export class SignedInUserResponse extends StatusUserResponse {
  @StringField({ nullable: true }) full_name!: string | null;
  @InstantField() created_at!: string;
}

const REFRESH_TOKEN =
  'can be exchanged once, within 7 days, for new tokens; a later second use ends the session';

export class SignedInResponse {
  @EnumField(['bearer'], { description: 'the session of the request' }) session!: 'bearer';
  @StringField({ description: 'access token (JWT)' }) token!: string;
  @IntegerField({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @EnumField(['Bearer']) tokenType!: string;
  @StringField({ description: REFRESH_TOKEN }) refreshToken!: string;
  @NestedField(() => SignedInUserResponse) user!: SignedInUserResponse;
  @BooleanField() isAdmin!: boolean;
  @StringListField({ optional: true, description: 'for admins only' }) adminPermissions?: string[];
  @StringField({ optional: true, description: 'the redirectUrl of the request' }) redirectUrl?: string;
}

export class UserProfileResponse extends SignedInUserResponse {
  @InstantField() updated_at!: string;
  @InstantField({ nullable: true }) last_login_at!: string | null;
  @EnumField(['active', 'inactive', 'suspended']) status!: string;
}

export class MessageResponse {
  @StringField() message!: string;
}

export class AuthStatusResponse {
  @BooleanField() authenticated!: boolean;
  @NestedField(() => StatusUserResponse, { optional: true }) user?: StatusUserResponse;
  @BooleanField({ optional: true }) tokenValid?: boolean;
  @BooleanField({ optional: true }) isAdmin?: boolean;
  @EnumField(['no_token', 'invalid_token'], { optional: true }) reason?: string;
}

export class AdminAccountResponse {
  @UuidField() id!: string;
  @StringField() email!: string;
  @StringField() name!: string;
  @StringListField() roles!: string[];
  @StringListField() permissions!: string[];
}

export class AdminLoginAccountResponse extends AdminAccountResponse {
  @InstantField({ nullable: true, description: 'as ADMINS_FILE states it; null if it states none' })
  createdAt!: string | null;
  @InstantField() lastLoginAt!: string;
}

export class AdminRefreshedResponse {
  @StringField() token!: string;
  @IntegerField({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @StringField({ description: REFRESH_TOKEN }) refreshToken!: string;
}

export class AdminSignedInResponse extends AdminRefreshedResponse {
  @NestedField(() => AdminLoginAccountResponse) admin!: AdminLoginAccountResponse;
}

export class AdminVerifiedResponse {
  @BooleanField() valid!: boolean;
  @NestedField(() => AdminAccountResponse) admin!: AdminAccountResponse;
  @InstantField() expiresAt!: string;
  @InstantField() issuedAt!: string;
}

export class AdminSignedOutResponse extends MessageResponse {
  @InstantField() loggedOutAt!: string;
}

export class RefreshedResponse {
  @StringField() token!: string;
  @IntegerField({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @EnumField(['Bearer']) tokenType!: string;
  @StringField({ description: REFRESH_TOKEN }) refreshToken!: string;
}

export class AdminProfileResponse extends AdminAccountResponse {
  @StringListField({ description: '* means all' }) override permissions!: string[];
  @InstantField({ nullable: true, description: 'as ADMINS_FILE states it; null if it states none' })
  createdAt!: string | null;
  @InstantField({ nullable: true }) lastLoginAt!: string | null;
  @EnumField(['active', 'disabled']) status!: string;
  @StringField({ nullable: true, description: 'the first of the roles' }) role!: string | null;
}

export class AuthCheckResponse {
  @BooleanField() authenticated!: boolean;
  @EnumField(['user', 'admin']) type!: string;
  @NestedField(() => StatusUserResponse) user!: StatusUserResponse;
  @BooleanField() isAdmin!: boolean;
  @InstantField() issuedAt!: string;
  @InstantField({ nullable: true, description: 'null for an API key that does not expire' }) expiresAt!:
    string | null;
}

export class RefreshCheckResponse {
  @BooleanField({ description: 'whether the token would be accepted; checking does not spend it' })
  valid!: boolean;
  @InstantField({ nullable: true }) expiresAt!: string | null;
}

export class TokenCheckResponse {
  @BooleanField() valid!: boolean;
  @EnumField(['user', 'admin'], { nullable: true }) type!: string | null;
  @UuidField({ nullable: true, description: 'id of the user or admin' }) subject!: string | null;
  @InstantField({ nullable: true }) expiresAt!: string | null;
  @EnumField(['expired', 'invalid', 'not_active'], {
    nullable: true,
    description:
      'why the token is not valid. invalid: also a revoked token, or the admin is not listed any more; not_active: the user is suspended or inactive, or the admin is disabled',
  })
  reason!: string | null;
}

export class AdminHealthResponse {
  @EnumField(['healthy', 'degraded', 'unhealthy'], {
    description: 'degraded: ADMINS_FILE is not valid; unhealthy: no admin is listed',
  })
  status!: string;
  @IntegerField({ description: 'number of admins in ADMINS_FILE' }) adminsConfigured!: number;
}

export class SessionResponse {
  @UuidField({ description: 'of the sign-in; refreshing a token keeps it' }) id!: string;
  @EnumField(SESSION_KINDS, { description: 'where the access token is kept' }) kind!: string;
  @InstantField({ description: 'of the sign-in' }) createdAt!: string;
  @InstantField({ description: 'of the last request in this session, exact to a minute' })
  lastSeenAt!: string;
  @StringField({
    description: 'the header User-Agent of the sign-in, at most 120 characters; empty if there was none',
    example: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  })
  device!: string;
  @BooleanField({ description: 'the session of this request' }) current!: boolean;
}

export class SignInResponse {
  @UuidField({ description: 'that of the session that it has opened' }) id!: string;
  @InstantField() createdAt!: string;
  @EnumField(USER_SIGN_IN_METHODS, {
    nullable: true,
    description: 'null for a sign-in at an earlier version',
  })
  method!: string | null;
  @EnumField(SESSION_KINDS, { description: 'where the access token is kept' }) kind!: string;
  @StringField({ description: 'the header User-Agent, at most 120 characters; empty if there was none' })
  device!: string;
  @StringField({
    nullable: true,
    example: '203.0.113.7',
    description: 'IP address; null for a sign-in at an earlier version',
  })
  address!: string | null;
}

export class EndedSessionsResponse {
  @IntegerField({ description: 'sessions that were ended' }) ended!: number;
}

// The responses below are for sessions whose access token is in a cookie. None contains the token, because scripts must not be
// able to read it.

const CSRF_TOKEN = { description: 'has to be sent as X-CSRF-Token' };

export class CookieSignedInResponse {
  @EnumField(['cookie'], { description: 'the session of the request' }) session!: 'cookie';
  @StringField(CSRF_TOKEN) csrfToken!: string;
  @IntegerField({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @NestedField(() => SignedInUserResponse) user!: SignedInUserResponse;
  @BooleanField() isAdmin!: boolean;
  @StringListField({ optional: true, description: 'for admins only' }) adminPermissions?: string[];
  @StringField({ optional: true, description: 'the redirectUrl of the request' }) redirectUrl?: string;
}

/** The options of the routes whose answer depends on the `session` of the request. */
export const SIGN_IN_RESPONSES = {
  data: SignedInResponse,
  variant: CookieSignedInResponse,
  variantBy: { name: 'session', values: SESSION_KINDS },
  rateClass: 'session',
  setsCookie: true,
} as const;

export class CookieAdminSignedInResponse {
  @StringField(CSRF_TOKEN) csrfToken!: string;
  @IntegerField({ description: 'seconds', example: 86400 }) expiresIn!: number;
  @NestedField(() => AdminLoginAccountResponse) admin!: AdminLoginAccountResponse;
}

export class CookieVerifiedResponse {
  @BooleanField() valid!: boolean;
  @NestedField(() => StatusUserResponse) user!: StatusUserResponse;
  @InstantField() expiresAt!: string;
  @InstantField() issuedAt!: string;
  @StringField({ description: 'the csrfToken of the sign-in, for a page that was reloaded' })
  csrfToken!: string;
}

export class CookieAdminVerifiedResponse extends AdminVerifiedResponse {
  @StringField({ description: 'the csrfToken of the sign-in, for a page that was reloaded' })
  csrfToken!: string;
}
