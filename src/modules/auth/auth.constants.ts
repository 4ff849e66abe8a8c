import { DAY_MS } from '../../common/durations.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';

export const ACCESS_TOKEN_TTL_SECONDS = 86_400;
export const REFRESH_TOKEN_TTL_MS = 7 * DAY_MS;

/** Characters of the header User-Agent that are shown to users. */
export const DEVICE_LENGTH = 120;

/** For this long a spent refresh token returns its successor again. By the database's clock, since processes' clocks differ. */
export const SUCCESSOR_REPEAT_SECONDS = 10;

/** Why a sign-in by password is refused. */
export const PASSWORD_ERRORS: ErrorCode[] = [
  'MISSING_REQUIRED_FIELD',
  'VALIDATION_ERROR',
  'INVALID_EMAIL',
  'INVALID_CREDENTIALS',
  'ACCOUNT_DISABLED',
  'INSUFFICIENT_PERMISSIONS',
  'TOO_MANY_ATTEMPTS',
];

/** Why a sign-in by the identity provider's JWT is refused. */
export const IDENTITY_ERRORS: ErrorCode[] = [
  'VALIDATION_ERROR',
  'SUPABASE_JWT_INVALID',
  'EMAIL_MANDATORY',
  'EMAIL_NOT_VERIFIED',
  'FORBIDDEN',
  'USER_CREATION_ERROR',
  'JWT_GENERATION_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** Why an exchange of a refresh token is refused. */
export const REFRESH_ERRORS: ErrorCode[] = [
  'MISSING_REQUIRED_FIELD',
  'VALIDATION_ERROR',
  'INVALID_REFRESH_TOKEN',
  'REFRESH_TOKEN_REVOKED',
  'FORBIDDEN',
];
