import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SignJWT, type JWTPayload } from 'jose';
import type { SecretOrKeyProvider } from 'passport-jwt';
import { AppConfig } from '../../../config/app-config.js';
import { realSeconds } from '../../../common/clock.js';
import { isSameText } from '../../../common/constant-time.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import { ACCESS_TOKEN_TTL_SECONDS, type Claims, type TokenType } from './auth.types.js';

const SECOND_SECRET = { user: 'JWT_USER_SECRET_ALSO', admin: 'JWT_ADMIN_SECRET_ALSO' } as const;

/**
 * Signs access tokens and supplies the options with which Passport verifies them: HS256 alone, with separate secrets for
 * users and admins. During a change of a secret the old and the new one are accepted. No header field such as `kid` selects
 * the key.
 */
@Injectable()
export class TokensService {
  /** Key objects: given a string, jsonwebtoken would build the key again for each token, at forty times the cost. */
  private readonly keys: Record<TokenType, KeyObject>;
  private readonly secondKeys: Record<TokenType, KeyObject | undefined>;

  constructor(
    private readonly config: AppConfig,
    private readonly secondSecrets: SecondSecrets,
  ) {
    const toKey = (secret: string) => createSecretKey(secret, 'utf8');
    const toSecondKey = (type: TokenType) => {
      const secret = config[SECOND_SECRET[type]];
      return secret === undefined ? undefined : toKey(secret);
    };
    this.keys = { user: toKey(config.JWT_USER_SECRET), admin: toKey(config.JWT_ADMIN_SECRET) };
    this.secondKeys = { user: toSecondKey('user'), admin: toSecondKey('admin') };
  }

  /** True during a change of secret. */
  get hasSecondSecret(): boolean {
    return this.secondKeys.user !== undefined || this.secondKeys.admin !== undefined;
  }

  /**
   * Options of passport-jwt, at the top level: passport-jwt overwrites those in `jsonWebTokenOptions` with undefined and
   * would then accept any algorithm and any issuer.
   */
  get verificationOptions() {
    const secretOrKeyProvider: SecretOrKeyProvider = (_request, token: string, done) => {
      const key = this.keyOf(token);
      if (!key) done(new DomainError('TOKEN_INVALID'));
      else done(null, key as unknown as Buffer); // the types of passport-jwt lack KeyObject
    };
    const { JWT_ISSUER: issuer } = this.config;
    return { secretOrKeyProvider, algorithms: ['HS256' as const], issuer, audience: issuer };
  }

  /** An access token of 24 hours. Throws JWT_GENERATION_ERROR. */
  async issueAccessToken(
    type: TokenType,
    claims: {
      sub: string;
      email: string;
      jti: string;
      roles?: readonly string[];
      permissions?: readonly string[];
    },
  ): Promise<string> {
    const { sub, jti, ...otherClaims } = claims;
    const now = realSeconds();
    return new SignJWT({ ...otherClaims, type } as JWTPayload)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(sub)
      .setJti(jti)
      .setIssuer(this.config.JWT_ISSUER)
      .setAudience(this.config.JWT_ISSUER)
      .setIssuedAt(now)
      .setExpirationTime(now + ACCESS_TOKEN_TTL_SECONDS)
      .sign(this.keys[type])
      .catch((cause: unknown) => {
        throw Object.assign(new DomainError('JWT_GENERATION_ERROR'), { cause });
      });
  }

  /**
   * The value of X-CSRF-Token for a cookie session: an HMAC of "csrf:" and its id. No access token begins with "csrf:", so
   * the value is never the signature of one.
   */
  csrfToken(type: TokenType, jti: string): string {
    return csrfToken(this.keys[type], jti);
  }

  /** Compares in constant time. Counts the use of a second secret. */
  isCsrfToken(type: TokenType, jti: string, token: string): boolean {
    if (isSameText(token, csrfToken(this.keys[type], jti))) return true;
    const secondKey = this.secondKeys[type];
    if (!secondKey || !isSameText(token, csrfToken(secondKey, jti))) return false;
    this.secondSecrets.recordUse(SECOND_SECRET[type]);
    return true;
  }

  /**
   * The key with which a token has to be signed. Undefined for a token without a required claim, since jsonwebtoken requires few claims,
   * and for a token with the header field `crit`, which jsonwebtoken ignores. Counts the use of a second secret.
   */
  private keyOf(token: string): KeyObject | undefined {
    const [header, claims] = token.split('.', 2).map(parsePart);
    if (!header || 'crit' in header || !claims || !hasAllClaims(claims)) return undefined;
    const type = claims.type === 'admin' ? 'admin' : 'user'; // the signature then proves the type
    const secondKey = this.secondKeys[type];
    if (!secondKey || !isSignedBy(secondKey, token)) return this.keys[type];
    // An expired token, which is refused anyway, does not show that the second secret is needed.
    if (claims.exp > realSeconds()) this.secondSecrets.recordUse(SECOND_SECRET[type]);
    return secondKey;
  }
}

function parsePart(part: string): object | undefined {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}

function hasAllClaims(claims: object): claims is Claims {
  const { sub, email, type, jti, iat, exp } = claims as Partial<Claims>;
  return (
    [sub, email, type, jti].every((text) => typeof text === 'string') && [iat, exp].every(Number.isFinite)
  );
}

function isSignedBy(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.');
  return isSameText(token.slice(end + 1), hmac(key, token.slice(0, end)));
}

function csrfToken(key: KeyObject, jti: string): string {
  return hmac(key, `csrf:${jti}`);
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
