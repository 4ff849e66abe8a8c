import type { CatalogueEntry } from './error-details.js';

/** The part of the error catalogue about signing in, tokens and permissions. */
export const ACCESS_ERRORS = {
  // Signing in and tokens
  TOKEN_MISSING: { status: 401, message: 'Sign in first: send the header Authorization: Bearer <token>.' },
  TOKEN_EXPIRED: { status: 401, message: 'The token has expired. Sign in again.' },
  TOKEN_INVALID: { status: 401, message: 'The token is not valid. Sign in again.' },
  UNAUTHORIZED: {
    status: 401,
    message: 'Authentication is missing or not valid.',
    neverReturned: 'TOKEN_MISSING, TOKEN_EXPIRED and TOKEN_INVALID are returned instead', // DEC-09
  },
  SIGNATURE_INVALID: {
    status: 401,
    message: 'The signature could not be verified.',
    details: { fields: 'fields', reason: 'text?' },
  },
  NONCE_EXPIRED: {
    status: 401,
    message: 'The challenge is unknown, used or older than 5 minutes. Ask for a new one.',
  },
  SUPABASE_JWT_INVALID: {
    status: 401,
    message: "The identity provider's token could not be verified. Sign in with the provider again.",
    details: { reason: 'text' },
  },
  EMAIL_MANDATORY: {
    status: 401,
    message: 'The account has no usable e-mail address. Correct it at the identity provider.',
    details: { reason: 'text' },
  },
  EMAIL_NOT_VERIFIED: { status: 401, message: 'Confirm the e-mail address at the identity provider first.' },
  AUTH_SESSION_ERROR: {
    status: 422,
    message: "The identity provider's session is not valid.",
    neverReturned: "the service verifies the identity provider's tokens and never requests its sessions",
  },
  USER_CREATION_ERROR: { status: 500, message: 'The user could not be created. Try again.' },
  JWT_GENERATION_ERROR: { status: 500, message: 'The token could not be made. Try again.' },
  INVALID_CREDENTIALS: { status: 401, message: 'The e-mail or the password is wrong.' },
  INVALID_REFRESH_TOKEN: { status: 401, message: 'The refresh token is not valid. Sign in again.' },
  REFRESH_TOKEN_REVOKED: { status: 401, message: 'The refresh token was used or revoked. Sign in again.' },
  ACCOUNT_DISABLED: { status: 403, message: 'This account is disabled.' },
  INSUFFICIENT_PERMISSIONS: { status: 403, message: 'This account has no admin role.' },
  TOO_MANY_ATTEMPTS: { status: 429, message: 'Too many failed attempts. Wait and try again.' },
  CSRF_INVALID: { status: 403, message: 'Send the csrfToken of the sign-in in the header X-CSRF-Token.' },

  // Permission
  PERMISSION_DENIED: {
    status: 403,
    message: 'You are not permitted to do this.',
    details: { required: 'text?' },
  },
  FORBIDDEN: { status: 403, message: 'This is not permitted.' },
  ADMIN_REQUIRED: { status: 403, message: 'An admin token is needed here.' },
  NOT_ADMIN_TOKEN: { status: 403, message: 'This is not an admin token.' },
  FOUR_EYES_REQUIRED: {
    status: 403,
    message: 'Another admin has to approve this first.',
    details: { reason: 'text' },
  },
} as const satisfies Record<string, CatalogueEntry>;
