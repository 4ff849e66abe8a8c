import { Injectable } from '@nestjs/common';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { AppConfig } from '../../../config/app-config.js';
import { canonicalEmail } from '../../../common/email.js';
import { throwError } from '../../../common/errors/domain-error.js';
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
import { IdentityProviderKeysClient, KeySetFault } from './identity-provider-keys.client.js';

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
