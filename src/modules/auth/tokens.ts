import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { AppConfig } from '../../config/app-config.js';
import { realSeconds } from '../../kernel/clock.js';
import { DomainError, fail } from '../../kernel/errors/domain-error.js';
import { SecondSecrets } from '../../telemetry/second-secrets.js';

export const TOKEN_TTL_SECONDS = 86_400;
const REQUIRED_CLAIMS = ['sub', 'email', 'type', 'jti', 'iat', 'exp', 'iss', 'aud'];

const REMEMBERED = 10_000; // tokens

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
 * Makes and reads our tokens: HS256 alone, one secret for users and another for admins. While a secret is replaced
 * there are two that may have signed. No `kid` chooses: what a header says decides nothing, and two are soon tried.
 */
@Injectable()
export class Tokens {
  private readonly secrets: Record<TokenType, Uint8Array>;
  private readonly seconds: Record<TokenType, Uint8Array | undefined>;
  /** Claims of tokens that the first secret has signed, by the tokens' hashes: that stays so until they expire. */
  private readonly remembered = new Map<string, Claims>();

  constructor(
    private readonly config: AppConfig,
    private readonly secondSecrets: SecondSecrets,
  ) {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const second = (type: TokenType) => {
      const text = config[SECOND[type]];
      return text === undefined ? undefined : bytes(text);
    };
    this.secrets = { user: bytes(config.JWT_USER_SECRET), admin: bytes(config.JWT_ADMIN_SECRET) };
    this.seconds = { user: second('user'), admin: second('admin') };
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
      .sign(this.secrets[type])
      .catch((cause: unknown) => {
        throw Object.assign(new DomainError('JWT_GENERATION_ERROR'), { cause });
      });
  }

  /**
   * What goes with a cookie session as X-CSRF-Token: it follows from the session, and nobody else can work it out.
   * No token of ours begins with "csrf:", so this is never one's signature.
   */
  csrfToken(type: TokenType, jti: string): string {
    return csrfToken(this.secrets[type], jti);
  }

  /** In a time that does not tell how much of it is right. */
  isCsrfToken(type: TokenType, jti: string, given: string): boolean {
    if (isSame(given, csrfToken(this.secrets[type], jti))) return true;
    const second = this.seconds[type];
    if (!second || !isSame(given, csrfToken(second, jti))) return false;
    this.secondSecrets.needed(SECOND[type]);
    return true;
  }

  /** Throws TOKEN_EXPIRED or TOKEN_INVALID. Whether the session behind it stands is for others to say. */
  async read(token: string): Promise<Claims> {
    const hash = createHash('sha256').update(token).digest('base64');
    const known = this.remembered.get(hash);
    if (known && known.exp > realSeconds()) return known;
    const type = typeClaimed(token);
    try {
      return await this.verified(token, type, hash);
    } catch (error) {
      return fail(error instanceof errors.JWTExpired ? 'TOKEN_EXPIRED' : 'TOKEN_INVALID');
    }
  }

  private async verified(token: string, type: TokenType, hash: string): Promise<Claims> {
    const second = this.seconds[type];
    try {
      return this.remember(hash, await this.signedWith(this.secrets[type], token));
    } catch (error) {
      if (!second || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
    const claims = await this.signedWith(second, token);
    this.secondSecrets.needed(SECOND[type]);
    return claims;
  }

  private remember(hash: string, claims: Claims): Claims {
    if (this.remembered.size >= REMEMBERED) this.remembered.clear();
    this.remembered.set(hash, claims);
    return claims;
  }

  private async signedWith(secret: Uint8Array, token: string): Promise<Claims> {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      issuer: this.config.JWT_ISSUER,
      audience: this.config.JWT_ISSUER,
      requiredClaims: REQUIRED_CLAIMS,
    });
    return payload as unknown as Claims;
  }
}

function csrfToken(secret: Uint8Array, jti: string): string {
  return createHmac('sha256', secret).update(`csrf:${jti}`).digest('base64url');
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The type that a token says it has chooses the secret; the signature then proves it. */
function typeClaimed(token: string): TokenType {
  try {
    const [, payload = ''] = token.split('.');
    const { type } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { type?: unknown };
    return type === 'admin' ? 'admin' : 'user';
  } catch {
    return 'user';
  }
}
