import { createHash, createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SignJWT, type JWTPayload } from 'jose';
import type { SecretOrKeyProvider } from 'passport-jwt';
import { AppConfig } from '../../config/app-config.js';
import { realSeconds } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { SecondSecrets } from '../../observability/second-secrets.js';

export const TOKEN_TTL_SECONDS = 86_400;

export type TokenType = 'user' | 'admin';

/** The claims of our own tokens. */
export interface Claims {
  readonly sub: string;
  readonly email: string;
  readonly type: TokenType;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

const SECOND = { user: 'JWT_USER_SECRET_ALSO', admin: 'JWT_ADMIN_SECRET_ALSO' } as const;

/**
 * Signs our tokens and says how Passport verifies them: HS256 alone, one secret for users and another for admins. While a
 * secret is replaced there are two that may have signed. No `kid` chooses: what a header says decides nothing.
 */
@Injectable()
export class TokensService {
  /** Made once: from a text jsonwebtoken would make them again for each token, at forty times the cost. */
  private readonly keys: Record<TokenType, KeyObject>;
  private readonly seconds: Record<TokenType, KeyObject | undefined>;

  constructor(
    private readonly config: AppConfig,
    private readonly secondSecrets: SecondSecrets,
  ) {
    const key = (text: string) => createSecretKey(text, 'utf8');
    const second = (type: TokenType) => {
      const text = config[SECOND[type]];
      return text === undefined ? undefined : key(text);
    };
    this.keys = { user: key(config.JWT_USER_SECRET), admin: key(config.JWT_ADMIN_SECRET) };
    this.seconds = { user: second('user'), admin: second('admin') };
  }

  /**
   * Options of passport-jwt. They stand at the top level: passport-jwt overwrites the same ones in `jsonWebTokenOptions` with
   * undefined, and would then take any algorithm and any issuer.
   */
  get verification() {
    const secretOrKeyProvider: SecretOrKeyProvider = (_request, token: string, done) => {
      const key = this.keyOf(token);
      if (!key) done(new DomainError('TOKEN_INVALID'));
      else done(null, key as unknown as Buffer); // its types do not name KeyObject
    };
    const { JWT_ISSUER: issuer } = this.config;
    return { secretOrKeyProvider, algorithms: ['HS256' as const], issuer, audience: issuer };
  }

  /** A token of 24 hours. Throws JWT_GENERATION_ERROR. */
  async issue(
    type: TokenType,
    claims: {
      sub: string;
      email: string;
      jti: string;
      roles?: readonly string[];
      permissions?: readonly string[];
    },
  ): Promise<string> {
    const { sub, jti, ...rest } = claims;
    const now = realSeconds();
    return new SignJWT({ ...rest, type } as JWTPayload)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(sub)
      .setJti(jti)
      .setIssuer(this.config.JWT_ISSUER)
      .setAudience(this.config.JWT_ISSUER)
      .setIssuedAt(now)
      .setExpirationTime(now + TOKEN_TTL_SECONDS)
      .sign(this.keys[type])
      .catch((cause: unknown) => {
        throw Object.assign(new DomainError('JWT_GENERATION_ERROR'), { cause });
      });
  }

  /**
   * What goes with a cookie session as X-CSRF-Token: it follows from the session, and nobody else can work it out.
   * No token of ours begins with "csrf:", so this is never one's signature.
   */
  csrfToken(type: TokenType, jti: string): string {
    return csrfToken(this.keys[type], jti);
  }

  /** In a time that does not tell how much of it is right. */
  isCsrfToken(type: TokenType, jti: string, given: string): boolean {
    if (isSame(given, csrfToken(this.keys[type], jti))) return true;
    const second = this.seconds[type];
    if (!second || !isSame(given, csrfToken(second, jti))) return false;
    this.secondSecrets.needed(SECOND[type]);
    return true;
  }

  /**
   * The key that has to have signed a token. Undefined for a token without one of our claims, most of which jsonwebtoken does
   * not require, and for one with `crit`, which it ignores.
   */
  private keyOf(token: string): KeyObject | undefined {
    const [header, claims] = token.split('.', 2).map(objectIn);
    if (!header || 'crit' in header || !claims || !isComplete(claims)) return undefined;
    const type = claims.type === 'admin' ? 'admin' : 'user'; // the signature then proves it
    const second = this.seconds[type];
    if (!second || !isSignedBy(second, token)) return this.keys[type];
    if (claims.exp > realSeconds()) this.secondSecrets.needed(SECOND[type]);
    return second;
  }
}

function objectIn(part: string): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isComplete(claims: object): claims is Claims {
  const { sub, email, type, jti, iat, exp } = claims as Partial<Claims>;
  return (
    [sub, email, type, jti].every((text) => typeof text === 'string') && [iat, exp].every(Number.isFinite)
  );
}

function isSignedBy(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.');
  return isSame(token.slice(end + 1), hmac(key, token.slice(0, end)));
}

function csrfToken(key: KeyObject, jti: string): string {
  return hmac(key, `csrf:${jti}`);
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
