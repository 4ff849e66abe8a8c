import { Injectable, Logger } from '@nestjs/common';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type CryptoKey,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type JWTPayload,
} from 'jose';
import { realNow } from '../../../common/clock.js';
import { DAY_MS, MINUTE_MS } from '../../../common/durations.js';
import { canonicalEmail } from '../../../common/email.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { httpAddress } from '../../../common/http-address.js';
import { parsedUrl } from '../../../common/parsed-url.js';
import { AppConfig } from '../../../config/app-config.js';
import { withClientSpan } from '../../../observability/spans.js';
import { fetchInTrace } from '../../../observability/tracing/trace.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import type { Identity } from './auth.types.js';
import {
  firstClaim,
  hasAuthenticationContext,
  isConfirmed,
  nameOf,
  requireRecipient,
  subjectOf,
  writtenByProvider,
} from './domain/claims.js';

const TIMEOUT_MS = 3000;
const COOLDOWN_MS = 10_000; // the shortest time between fetches, so that not every token with an invented key id causes one
const MAX_AGE_MS = 10 * MINUTE_MS; // for this time at most a key is accepted after the provider has withdrawn it
const MAX_AGE_IN_OUTAGE_MS = DAY_MS; // the same while the provider does not answer
const RETRY_AFTER_MS = 2000; // the shortest time between a failed fetch and the next one

type FetchOptions = Parameters<typeof fetch>[1];

/** The key set cannot be read. The message is the rest of a sentence that begins with "The identity provider". */
export class KeySetFault extends Error {}

/** The published keys of the identity provider: found by OpenID discovery unless IDP_JWKS_URL names them, and cached. */
@Injectable()
export class IdentityProviderKeysClient {
  private readonly log = new Logger('IdentityProvider');
  private readonly keySet: ReturnType<typeof createRemoteJWKSet>;
  private readAtMs = -Infinity;
  private lastFailure: { readonly atMs: number; readonly fault: KeySetFault } | undefined;

  constructor(private readonly config: AppConfig) {
    // jose requires an address here, and does not use it: `readKeySet` fetches the keys.
    this.keySet = createRemoteJWKSet(new URL(config.IDP_JWKS_URL ?? discoveryUrl(config.IDP_ISSUER)), {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: MAX_AGE_MS,
      [customFetch]: async (_url, options) => Response.json(await this.readKeySet(options)),
    });
  }

  /** The key that has signed a token, for jose. Throws KeySetFault, and the errors of jose about the token. */
  readonly findKey = async (header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> => {
    try {
      return await this.keySet(header, token);
    } catch (error) {
      const cached = this.keySet.jwks();
      const isUsable = realNow().getTime() - this.readAtMs < MAX_AGE_IN_OUTAGE_MS;
      if (!(error instanceof KeySetFault) || !cached || !isUsable) throw error;
      return createLocalJWKSet(cached)(header, token).catch(() => {
        throw error; // the outage may hide a key that is newer than the cached ones
      });
    }
  };

  /** Reads the key set anew, as the verification of a token with an unknown key does. Throws KeySetFault. */
  async reload(): Promise<void> {
    await this.keySet.reload();
  }

  private async readKeySet(options: FetchOptions): Promise<JSONWebKeySet> {
    const nowMs = realNow().getTime();
    if (this.lastFailure && nowMs - this.lastFailure.atMs < RETRY_AFTER_MS) throw this.lastFailure.fault;
    try {
      const keySet = await withClientSpan('identity provider', () => this.fetchKeySet(options));
      this.lastFailure = undefined;
      this.readAtMs = nowMs;
      return keySet;
    } catch (error) {
      const fault =
        error instanceof KeySetFault ? error : new KeySetFault('does not answer', { cause: error });
      this.lastFailure = { atMs: realNow().getTime(), fault };
      this.log.warn({ msg: `The identity provider ${fault.message}`, err: fault.cause });
      throw fault;
    }
  }

  private async fetchKeySet(options: FetchOptions): Promise<JSONWebKeySet> {
    const url = this.config.IDP_JWKS_URL ?? (await this.discoverKeySetUrl(options));
    const keySet = (await fetchJson(url, options, 'key set')) as JSONWebKeySet;
    try {
      createLocalJWKSet(keySet);
    } catch {
      throw new KeySetFault('answers with other JSON in place of its key set');
    }
    if (keySet.keys.length === 0) throw new KeySetFault('has no keys in its key set');
    return keySet;
  }

  /** OpenID Connect Discovery 1.0. The document has to name the configured issuer, or no token would be accepted. */
  private async discoverKeySetUrl(options: FetchOptions): Promise<string> {
    const { IDP_ISSUER } = this.config;
    const found = await fetchJson(discoveryUrl(IDP_ISSUER), options, 'discovery document');
    const { issuer, jwks_uri: url } = (found ?? {}) as { issuer?: unknown; jwks_uri?: unknown };
    if (issuer !== IDP_ISSUER)
      throw new KeySetFault(
        'names another issuer in its discovery document than IDP_ISSUER; both have to be equal, slashes included',
      );
    if (typeof url !== 'string' || !parsedUrl(url) || !isAsSafe(url, IDP_ISSUER))
      throw new KeySetFault('has no valid jwks_uri in its discovery document');
    return url;
  }
}

function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** The keys of an issuer with https come over https as well. */
function isAsSafe(url: string, issuer: string): boolean {
  const { protocol } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && new URL(issuer).protocol === 'http:');
}

/** Redirects are not followed (`redirect: manual` of jose), since another address could have the keys of another issuer. */
async function fetchJson(url: string, options: FetchOptions, name: string): Promise<unknown> {
  const { url: plainUrl, headers } = httpAddress(url);
  const response = await fetchInTrace(plainUrl, { ...options, headers });
  const { status } = response;
  const text = await response.text();
  if (status >= 300 && status < 400)
    throw new KeySetFault(`redirects its ${name} (status ${status}) to an address that is not followed`);
  if (status !== 200) throw new KeySetFault(`answers with status ${status} in place of its ${name}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const kind = text.trimStart().startsWith('<') ? 'an HTML page' : 'text that is not JSON';
    throw new KeySetFault(`answers with ${kind} in place of its ${name}`);
  }
}

/** The identity provider: any OpenID-style issuer of signed JWTs with a published key set. */
@Injectable()
export class IdentityProviderClient {
  constructor(
    private readonly config: AppConfig,
    private readonly admins: AdminDirectoryService,
    private readonly keys: IdentityProviderKeysClient,
  ) {}

  /**
   * Throws SUPABASE_JWT_INVALID (with `details.reason`), EMAIL_MANDATORY, EMAIL_NOT_VERIFIED, or
   * SERVICE_UNAVAILABLE when the provider's keys are not available.
   */
  async verify(jwt: string): Promise<Identity> {
    const claims = await this.claimsOf(jwt);
    const { IDP_AUDIENCE, IDP_AUTHORIZED_PARTY, IDP_EMAIL_CLAIM, IDP_NAME_CLAIM } = this.config;
    requireRecipient(claims, IDP_AUDIENCE, IDP_AUTHORIZED_PARTY);
    const stated = firstClaim(claims, IDP_EMAIL_CLAIM);
    if (typeof stated !== 'string') throwError('EMAIL_MANDATORY', { reason: 'is missing' });
    const { email, fault } = canonicalEmail(stated);
    if (email === undefined) throwError('EMAIL_MANDATORY', { reason: fault });
    if (!this.isEmailVerified(claims, email)) throwError('EMAIL_NOT_VERIFIED');
    return {
      email,
      formerEmail: stated.toLowerCase() === email ? null : stated.toLowerCase(),
      name: nameOf(claims, IDP_NAME_CLAIM),
      subject: subjectOf(claims),
      hasSecondFactor: hasAuthenticationContext(claims, this.config.IDP_ADMIN_ACR),
    };
  }

  /** Reads the provider's keys. Throws SERVICE_UNAVAILABLE with the fault, which a sign-in would meet as well. */
  async ping(): Promise<void> {
    await this.keys.reload().catch((error: unknown) => {
      failUnavailable(error instanceof KeySetFault ? `The identity provider ${error.message}.` : undefined);
    });
  }

  /** For the address of an admin, claims that users can write count as absent, whatever the setting. */
  private isEmailVerified(claims: JWTPayload, email: string): boolean {
    const { IDP_EMAIL_VERIFIED_CLAIM: all, IDP_EMAIL_TRUSTED } = this.config;
    const names = this.admins.findAdminByEmail(email) ? writtenByProvider(all) : all;
    return isConfirmed(claims, names, IDP_EMAIL_TRUSTED === 'true');
  }

  private async claimsOf(jwt: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(jwt, this.keys.findKey, {
        algorithms: [...this.config.IDP_ALGORITHMS],
        issuer: this.config.IDP_ISSUER,
        requiredClaims: ['exp'],
        clockTolerance: this.config.IDP_CLOCK_TOLERANCE_SECONDS,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throwError('SUPABASE_JWT_INVALID', { reason: reasonOf(error) });
      failUnavailable();
    }
  }
}

function failUnavailable(message = 'The identity provider does not answer. Try again shortly.'): never {
  throwError('SERVICE_UNAVAILABLE', undefined, { message, retryAfterSeconds: 2 });
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
