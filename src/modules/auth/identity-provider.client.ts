import { Injectable } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose';
import { AppConfig } from '../../config/app-config.js';
import { storableText } from '../../common/storable-text.js';
import { fail } from '../../common/errors/domain-error.js';
import { withClientSpan } from '../../observability/spans.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import type { Identity } from './auth.types.js';
import { isConfirmed, subjectOf, writtenByProvider } from './domain/claims.js';

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const KEYS_TIMEOUT_MS = 3000;
const KEYS_COOLDOWN_MS = 10_000; // the shortest time between fetches, so that invented key ids do not cause one each
const KEYS_MAX_AGE_MS = 600_000; // a key that the provider has withdrawn is accepted at most so long
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_EMAIL_LENGTH = 320;
/**
 * Excludes the Kelvin sign and İ: lower case turns them into k and into i with a combining dot, and so into another address.
 * Excludes lone surrogates: UTF-8 has none, so they would be stored as the same character, and two addresses could become one.
 */
const EMAIL = /^[^\s@\p{Cc}\p{Cs}\u212a\u0130]+@[^\s@\p{Cc}\p{Cs}\u212a\u0130]+$/u;
const MAX_NAME_LENGTH = 200;

/** The identity provider: any OpenID-style issuer of signed JWTs with a published key set. */
@Injectable()
export class IdentityProviderClient {
  private readonly keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(
    private readonly config: AppConfig,
    private readonly admins: AdminDirectoryService,
  ) {
    this.keys = createRemoteJWKSet(new URL(config.IDP_JWKS_URL), {
      timeoutDuration: KEYS_TIMEOUT_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      cacheMaxAge: KEYS_MAX_AGE_MS,
      [customFetch]: (url, options) => withClientSpan('identity provider', () => fetch(url, options)),
    });
  }

  /**
   * Throws SUPABASE_JWT_INVALID (with `details.reason`), EMAIL_MANDATORY, EMAIL_NOT_VERIFIED, or
   * SERVICE_UNAVAILABLE when the provider's keys are not available.
   */
  async verify(jwt: string): Promise<Identity> {
    const claims = await this.claimsOf(jwt);
    const { email } = claims;
    if (typeof email !== 'string' || !EMAIL.test(email) || email.length > MAX_EMAIL_LENGTH)
      fail('EMAIL_MANDATORY');
    if (!this.isEmailVerified(claims, email)) fail('EMAIL_NOT_VERIFIED');
    const name = claims.name ?? claims.full_name;
    return {
      email: email.toLowerCase(),
      name: storableText(name, MAX_NAME_LENGTH),
      subject: subjectOf(claims),
    };
  }

  /** Throws SERVICE_UNAVAILABLE when the provider's keys are not available. */
  async ping(): Promise<void> {
    const response = await fetch(this.config.IDP_JWKS_URL, {
      signal: AbortSignal.timeout(KEYS_TIMEOUT_MS),
    }).catch(() => undefined);
    await response?.body?.cancel();
    if (!response?.ok) failUnavailable();
  }

  /** For the address of an admin, claims that users can write count as absent, whatever the setting. */
  private isEmailVerified(claims: JWTPayload, email: string): boolean {
    const names = this.config.IDP_EMAIL_VERIFIED_CLAIM;
    return isConfirmed(claims, this.admins.findAdminByEmail(email) ? writtenByProvider(names) : names);
  }

  private async claimsOf(jwt: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(jwt, this.keys, {
        algorithms: ALGORITHMS,
        issuer: this.config.IDP_ISSUER,
        audience: this.config.IDP_AUDIENCE,
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return payload;
    } catch (error) {
      if (isAboutTheToken(error)) fail('SUPABASE_JWT_INVALID', { reason: reasonOf(error) });
      failUnavailable();
    }
  }
}

function failUnavailable(): never {
  fail('SERVICE_UNAVAILABLE', undefined, {
    message: 'The identity provider does not answer. Try again shortly.',
    retryAfterSeconds: 2,
  });
}

/** Errors about the keys: a time-out, a response that is no key set, and (generic) another status than 200 or no JSON. */
const ERRORS_ABOUT_KEYS = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];

function isAboutTheToken(error: unknown): error is errors.JOSEError {
  return error instanceof errors.JOSEError && !ERRORS_ABOUT_KEYS.includes(error.code);
}

const REASONS: Record<string, string> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown key',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
};

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTClaimValidationFailed) return `claim ${error.claim}`;
  return REASONS[error.code] ?? 'malformed';
}
