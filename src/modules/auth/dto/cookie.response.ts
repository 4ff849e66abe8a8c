import { Count, Flag, Instant, Nested, Text, TextList } from '../../../http/openapi/fields.js';
import {
  AdminLoginAccountResponse,
  AdminVerifiedResponse,
  SignedInUserResponse,
  StatusUserResponse,
} from './auth.response.js';
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
  @Text({ description: 'the one of the sign-in, for a page that was loaded again' }) csrfToken!: string;
}

export class CookieAdminVerifiedResponse extends AdminVerifiedResponse {
  @Text({ description: 'the one of the sign-in, for a page that was loaded again' }) csrfToken!: string;
}
