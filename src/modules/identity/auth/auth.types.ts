import { DAY_MS } from '../../../common/durations.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import type { Principal } from '../../../http/auth/principal.js';
import type { Admin } from '../admins/admin-directory.service.js';
import type { User } from '../users/entities/user.entity.js';
import type { FirstStep } from './domain/sign-in.js';

export const ACCESS_TOKEN_TTL_SECONDS = 86_400;
export const REFRESH_TOKEN_TTL_MS = 7 * DAY_MS;
/** How long ended sign-ins are kept, for admins. */
export const SIGN_IN_RETENTION_MS = 90 * DAY_MS;

/** Characters of the header User-Agent that are shown to users. */
export const DEVICE_LENGTH = 120;

/**
 * How long after its use a spent refresh token returns the same successor again, because two tabs may refresh at once and a
 * response can be lost. Measured by the database's clock, because the clocks of processes differ.
 */
export const SUCCESSOR_REPEAT_SECONDS = 10;

/** The refusals of the second step of an admin's sign-in. */
export const ADMIN_SIGN_IN_ERRORS: ErrorCode[] = [
  'MISSING_REQUIRED_FIELD',
  'VALIDATION_ERROR',
  'INSUFFICIENT_PERMISSIONS',
  'SECOND_FACTOR_REQUIRED',
  'STEP_UP_INVALID',
  'CODE_INVALID',
  'TOO_MANY_ATTEMPTS',
];

/** The refusals of a sign-in by password. */
export const PASSWORD_ERRORS: ErrorCode[] = [
  ...ADMIN_SIGN_IN_ERRORS,
  'INVALID_EMAIL',
  'INVALID_CREDENTIALS',
  'ACCOUNT_DISABLED',
];

/** The refusals of a sign-in by the identity provider's JWT. */
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

/** The refusals of an exchange of a refresh token. */
export const REFRESH_ERRORS: ErrorCode[] = [
  'MISSING_REQUIRED_FIELD',
  'VALIDATION_ERROR',
  'INVALID_REFRESH_TOKEN',
  'REFRESH_TOKEN_REVOKED',
  'FORBIDDEN',
];

export type TokenType = 'user' | 'admin';

/** The claims of the platform's own access tokens. */
export interface Claims {
  readonly sub: string;
  readonly email: string;
  readonly type: TokenType;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

/** A person as the identity provider's token describes them. The provider has verified the e-mail address. */
export interface Identity {
  /** The canonical spelling (`canonicalEmail`). */
  readonly email: string;
  /** The spelling under which earlier versions stored the account of this address; null if it is the same. */
  readonly formerEmail: string | null;
  /** Null if the token states none. */
  readonly name: string | null;
  /** The claim `sub`; null for a token without it. */
  readonly subject: string | null;
  /** The provider has verified a second factor, too: the claim `acr` or `amr` has a value of IDP_ADMIN_ACR. */
  readonly hasSecondFactor: boolean;
}

/** The user or admin that a session or a refresh token belongs to. */
export interface Subject {
  readonly type: TokenType;
  readonly id: string;
}

/** All sessions and refresh tokens that descend from one sign-in. */
export interface SessionFamily {
  readonly familyId: string;
  /** The wallet that signed in; null for any other sign-in, and after the wallet is deleted. */
  readonly walletId: string | null;
  /** Null for a sign-in at an earlier version. */
  readonly openedBy: SignInMethod | null;
}

/** `…-and-factor`: a sign-in of an admin that a second factor has completed, here or at the identity provider. */
export type SignInMethod = FirstStep['method'] | 'wallet' | `${FirstStep['method']}${typeof AND_FACTOR}`;

const AND_FACTOR = '-and-factor';

export const USER_SIGN_IN_METHODS = ['identity-provider', 'wallet'] as const;
export type UserSignInMethod = (typeof USER_SIGN_IN_METHODS)[number];

export function withFactor(method: FirstStep['method']): SignInMethod {
  return `${method}${AND_FACTOR}`;
}

export function isByIdentityProvider(method: SignInMethod | null): boolean {
  return method?.startsWith('identity-provider') ?? false;
}

export function hasFactor(method: SignInMethod | null): boolean {
  return method?.endsWith(AND_FACTOR) ?? false;
}

/** How a user signs in: where the access token is kept, the header User-Agent, and the network address. */
export interface SignInContext {
  readonly kind: SessionKind;
  readonly userAgent: string;
  /** Null if it is not known. */
  readonly address: string | null;
  /** A /24 network of IPv4 or a /48 network of IPv6, or `unknown`. */
  readonly network: string;
}

/** A session as its user sees it: a sign-in, whose id is that of the token family. Times are real time. */
export interface UserSession {
  readonly id: string;
  readonly kind: SessionKind;
  readonly device: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** The session of the request. */
  readonly isCurrent: boolean;
}

/** The present state of the session behind an access token. */
export interface SessionState {
  readonly familyId: string;
  readonly openedBy: SignInMethod | null;
  /** The time of the latest request or, before the first one, of the sign-in or refresh. Kept for sessions of admins. */
  lastSeenAt: Date;
  readonly isRevoked: boolean;
  readonly subjectType: TokenType;
  readonly subjectId: string;
  /** Null for an admin: the status of admins is in ADMINS_FILE. */
  readonly userStatus: string | null;
}

export interface RefusedRefreshToken {
  readonly refusal: Extract<ErrorCode, 'INVALID_REFRESH_TOKEN' | 'REFRESH_TOKEN_REVOKED'>;
}

interface ValidRefreshToken extends SessionFamily {
  readonly subject: Subject;
  readonly expiresAt: Date;
}

export type RefreshTokenCheck = ValidRefreshToken | RefusedRefreshToken;

/**
 * The owner and the family of a refresh token, read before the family is locked: neither ever changes, and a revocation is
 * final.
 */
export interface RefreshTokenFamily {
  readonly subject: Subject;
  readonly familyId: string;
  readonly isRevoked: boolean;
}

/** A refresh token that was spent, with the token that replaces it. */
export interface SpentRefreshToken extends SessionFamily {
  readonly subject: Subject;
  readonly successor: string;
}

/** An access token of 24 hours and the one-time refresh token that renews it. */
export interface TokenPair {
  readonly token: string;
  readonly refreshToken: string;
  /** For a session whose access token is kept in a cookie. */
  readonly csrfToken: string;
}

/** The result of a user's sign-in. If ADMINS_FILE lists the e-mail address, `admin` is set and the tokens are an admin's. */
export interface SignedIn extends TokenPair {
  readonly user: User;
  readonly admin: Admin | undefined;
}

/** The result of an admin's sign-in by password. */
export interface SignedInAdmin extends TokenPair {
  readonly admin: Admin;
}

/** Where the access token of a session is kept: by the client itself, or in a cookie. */
export const SESSION_KINDS = ['bearer', 'cookie'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** The owner of an access token, or the reason why it is not valid. */
export type AccessTokenCheck =
  | { readonly principal: Principal; readonly reason: null }
  | { readonly principal: null; readonly reason: 'expired' | 'invalid' | 'not_active' };
