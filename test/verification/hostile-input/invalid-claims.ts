import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { AppConfig } from '../../../src/config/app-config.js';

// Claims that must be rejected although the signature is valid, with a name for reports.

const inTenMinutes = () => Math.floor(Date.now() / 1000) + 600;

/** Changes of the claims of a valid access token. */
export function invalidPlatformClaims(
  { jti }: JWTPayload,
  { JWT_ISSUER, IDP_ISSUER, IDP_AUDIENCE }: AppConfig,
): Record<string, Record<string, unknown>> {
  return {
    'an unknown issuer': { iss: 'others' },
    'the platform’s issuer in a list': { iss: [JWT_ISSUER] },
    'an unknown audience': { aud: 'others' },
    'the provider’s issuer and audience': { iss: IDP_ISSUER, aud: IDP_AUDIENCE },
    'type refresh': { type: 'refresh' },
    'type Admin': { type: 'Admin' },
    'type in a list': { type: ['user'] },
    'type admin': { type: 'admin', roles: ['admin'], permissions: ['*'] },
    'expired long ago': { exp: 1 },
    'expiry as text': { exp: '9999999999' },
    'no expiry': { exp: undefined },
    'expiry null': { exp: null },
    'not yet valid': { nbf: inTenMinutes() },
    'not-before as text': { nbf: 'tomorrow' },
    'no jti': { jti: undefined },
    'jti as a list': { jti: [jti] },
    'SQL in jti': { jti: "' or 1=1 --" },
    'jti of no session': { jti: randomUUID() },
    'no sub': { sub: undefined },
    'no iat': { iat: undefined },
    'no type': { type: undefined },
  };
}

/** Texts in place of the claims object of an access token. */
export const INVALID_CLAIM_TEXTS = [
  '[]',
  '"text"',
  'null',
  '{',
  '{"type":"admin"}',
  '{"type":"user","type":"admin"}',
];

/** Changes of the claims of the identity provider's token, apart from the e-mail address. */
export const INVALID_PROVIDER_CLAIMS: [name: string, claims: () => JWTPayload][] = [
  ['another issuer', () => ({ iss: 'https://evil.example.com' })],
  ['an empty issuer', () => ({ iss: '' })],
  ['another audience', () => ({ aud: 'another-application' })],
  ['an empty list of audiences', () => ({ aud: [] })],
  ['an expiry long ago', () => ({ exp: 1 })],
  ['no expiry', () => ({ exp: undefined })],
  ['a not-before time in ten minutes', () => ({ nbf: inTenMinutes() })],
];

/** Changes of the e-mail claims of the identity provider's token, with the expected error. */
export const INVALID_EMAIL_CLAIMS: [name: string, claims: JWTPayload, code: string][] = [
  ['a list', { email: ['ann@example.org', 'admin@example.com'] }, 'EMAIL_MANDATORY'],
  ['an object', { email: { $ne: null } }, 'EMAIL_MANDATORY'],
  ['a line break', { email: 'ann@example.org\nadmin@example.com' }, 'EMAIL_MANDATORY'],
  ['a space before the @', { email: 'admin @example.com' }, 'EMAIL_MANDATORY'],
  ['a closing bracket', { email: 'admin@example.com>' }, 'EMAIL_MANDATORY'],
  ['a zero-width space', { email: 'admin\u200b@example.com' }, 'EMAIL_MANDATORY'],
  ['two addresses', { email: 'eve@evil.example,ann@example.org' }, 'EMAIL_MANDATORY'],
  ['a NUL character', { email: 'admin@example.com\0' }, 'EMAIL_MANDATORY'],
  ['an unpaired surrogate', { email: 'ann\ud800@example.org' }, 'EMAIL_MANDATORY'],
  ['the Kelvin sign, whose lower case is k', { email: 'mi\u212ae@example.org' }, 'EMAIL_MANDATORY'],
  ['a dotted capital I', { email: 'adm\u0130n@example.com' }, 'EMAIL_MANDATORY'],
  ['no email_verified claim', { email_verified: undefined }, 'EMAIL_NOT_VERIFIED'],
  ['email_verified as the text yes', { email_verified: 'yes' }, 'EMAIL_NOT_VERIFIED'],
  ['email_verified as a number', { email_verified: 1 }, 'EMAIL_NOT_VERIFIED'],
  [
    'email_verified only in user_metadata',
    { email_verified: undefined, user_metadata: { email_verified: true } },
    'EMAIL_NOT_VERIFIED',
  ],
  [
    'email_verified only in a claim with a dot',
    { email_verified: undefined, 'user_metadata.email_verified': true },
    'EMAIL_NOT_VERIFIED',
  ],
];
