import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
  VerifiedAuthenticationResponse,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import type { Passkey } from './entities/factor.entity.js';
import { NAME_OF_PLATFORM, type FactorOwner } from './factors.types.js';

/** Imported with the first passkey, because the packages take a quarter of a second to load. */
const loadLibrary = () => import('@simplewebauthn/server');

type Registration = NonNullable<VerifiedRegistrationResponse['registrationInfo']>;
type Authentication = VerifiedAuthenticationResponse['authenticationInfo'];

/** 32 bytes in base64url. */
const CHALLENGE = /^[\w-]{43}$/;
/** 1023 bytes, the most that WebAuthn allows, in base64url. */
const MAX_ID_LENGTH = 1364;
const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal', 'cable'];

/** WebAuthn ceremonies. The authenticator has to verify its user, by a PIN or a fingerprint. */
@Injectable()
export class WebauthnService {
  private readonly domain: string | undefined;
  private readonly origins: string[];

  constructor(config: AppConfig) {
    const { hostname } = new URL(config.PUBLIC_URL);
    this.domain = config.WEBAUTHN_RP_ID ?? (isIP(hostname) === 0 ? hostname : undefined);
    this.origins = [config.PUBLIC_URL, ...config.CORS_ORIGINS];
  }

  /** False if PUBLIC_URL has an IP address, which cannot be the domain of passkeys. */
  get isAvailable(): boolean {
    return this.domain !== undefined;
  }

  /** The options of `navigator.credentials.create`. Throws INVALID_STATE without a domain. */
  async registrationOptions(
    owner: FactorOwner & { readonly email: string },
    passkeys: readonly Passkey[],
    challenge: string,
  ): Promise<object> {
    const { generateRegistrationOptions } = await loadLibrary();
    return generateRegistrationOptions({
      rpName: NAME_OF_PLATFORM,
      rpID: this.requireDomain(),
      userID: new Uint8Array(Buffer.from(`${owner.type}:${owner.id}`)),
      userName: owner.email,
      challenge: bytesOf(challenge),
      attestationType: 'none',
      excludeCredentials: passkeys.map(descriptorOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    });
  }

  /** The options of `navigator.credentials.get`. */
  async authenticationOptions(passkeys: readonly Passkey[], challenge: string): Promise<object> {
    const { generateAuthenticationOptions } = await loadLibrary();
    return generateAuthenticationOptions({
      rpID: this.requireDomain(),
      challenge: bytesOf(challenge),
      allowCredentials: passkeys.map(descriptorOf),
      userVerification: 'required',
    });
  }

  /**
   * Throws CODE_INVALID if the response is not valid. Refuses attestations, which the options do not ask for: to verify one the
   * library would load revocation lists from addresses that the caller chooses.
   */
  async verifyRegistration(credential: object, challenge: string): Promise<Registration> {
    const { verifyRegistrationResponse } = await loadLibrary();
    if ((await formatOf(credential)) !== 'none') failCode();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: credential as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: this.origins,
      expectedRPID: this.requireDomain(),
      requireUserVerification: true,
    }).catch(failCode);
    const isStorable = (registrationInfo?.credential.id.length ?? 0) <= MAX_ID_LENGTH;
    return registrationInfo && isStorable ? registrationInfo : failCode();
  }

  /** Throws CODE_INVALID if the response is not valid. */
  async verifyAuthentication(
    credential: object,
    challenge: string,
    passkey: Passkey,
  ): Promise<Authentication> {
    const { verifyAuthenticationResponse } = await loadLibrary();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: this.origins,
      expectedRPID: this.requireDomain(),
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.signCount,
      },
      requireUserVerification: true,
    }).catch(failCode);
    return verified ? authenticationInfo : failCode();
  }

  private requireDomain(): string {
    const message =
      'Passkeys need a domain: the host of PUBLIC_URL is an IP address, and WEBAUTHN_RP_ID is not set.';
    return (
      this.domain ??
      throwError('INVALID_STATE', { action: 'add', status: null, allowedFrom: [] }, { message })
    );
  }
}

/** The challenge in the client's part of a response; undefined if it has none. The authenticator has signed this part. */
export function challengeOf(credential: object): string | undefined {
  try {
    const { clientDataJSON } = (credential as { response: { clientDataJSON: string } }).response;
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as {
      challenge?: unknown;
    };
    return typeof challenge === 'string' && CHALLENGE.test(challenge) ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** The format of the attestation of a new credential; undefined if there is none. */
async function formatOf(credential: object): Promise<string | undefined> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const { attestationObject } = (credential as RegistrationResponseJSON).response;
    return decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url'))).get('fmt');
  } catch {
    return undefined;
  }
}

/** The transports that WebAuthn Level 3 names; a response can contain anything. */
export function knownTransports(transports: unknown): string[] {
  return Array.isArray(transports) ? TRANSPORTS.filter((name) => transports.includes(name)) : [];
}

function descriptorOf({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports: [...transports] as AuthenticatorTransport[] };
}

function bytesOf(challenge: string) {
  return new Uint8Array(Buffer.from(challenge, 'base64url'));
}

function failCode(): never {
  return throwError('CODE_INVALID');
}
