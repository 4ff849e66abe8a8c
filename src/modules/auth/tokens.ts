import { createHash, createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { AppConfig } from '../../config/app-config.js';
import { realSeconds } from '../../kernel/clock.js';
import { DomainError, fail } from '../../kernel/errors/domain-error.js';

export const TOKEN_TTL_SECONDS = 86_400;
const REQUIRED_CLAIMS = ['sub', 'email', 'type', 'jti', 'iat', 'exp', 'iss', 'aud'];

const REMEMBERED = 10_000;

export type TokenType = 'user' | 'admin';

/** The claims of our own tokens (D11). */
export interface Claims {
  readonly sub: string;
  readonly email: string;
  readonly type: TokenType;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

/** Makes and reads our tokens: HS256 alone, one secret for users and another for admins. */
@Injectable()
export class Tokens {
  private readonly secrets: Record<TokenType, Uint8Array>;
  /** Claims of tokens whose signatures were right, by the tokens' hashes: that does not change until they expire. */
  private readonly verified = new Map<string, Claims>();

  constructor(private readonly config: AppConfig) {
    const bytes = (text: string) => new TextEncoder().encode(text);
    this.secrets = { user: bytes(config.JWT_USER_SECRET), admin: bytes(config.JWT_ADMIN_SECRET) };
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
    return createHmac('sha256', this.secrets[type]).update(`csrf:${jti}`).digest('base64url');
  }

  /** Throws TOKEN_EXPIRED or TOKEN_INVALID. Whether the session behind it stands is for others to say. */
  async read(token: string): Promise<Claims> {
    const hash = createHash('sha256').update(token).digest('base64');
    const known = this.verified.get(hash);
    if (known && known.exp > realSeconds()) return known;
    const claims = await this.verify(token);
    if (this.verified.size >= REMEMBERED) this.verified.clear();
    this.verified.set(hash, claims);
    return claims;
  }

  private async verify(token: string): Promise<Claims> {
    const type = typeClaimed(token);
    try {
      const { payload } = await jwtVerify(token, this.secrets[type], {
        algorithms: ['HS256'],
        issuer: this.config.JWT_ISSUER,
        audience: this.config.JWT_ISSUER,
        requiredClaims: REQUIRED_CLAIMS,
      });
      return payload as unknown as Claims;
    } catch (error) {
      return fail(error instanceof errors.JWTExpired ? 'TOKEN_EXPIRED' : 'TOKEN_INVALID');
    }
  }
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
