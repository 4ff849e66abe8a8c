import { listOf, pathSegmentBut, text, url } from './readers.js';
import { REQUIRED, setting } from './setting.js';

/** The settings of the identity provider and of the claims that are read from its tokens. */
export const IDENTITY_PROVIDER_SETTINGS = {
  IDP_NAME: setting(
    pathSegmentBut('wallet'),
    'idp',
    'path segment of the identity provider: /api/auth/<name>/login',
  ),
  IDP_JWKS_URL: setting(url('http:', 'https:'), REQUIRED, "address of the identity provider's public keys"),
  IDP_ISSUER: setting(text, REQUIRED, "claim iss of the identity provider's tokens"),
  IDP_AUDIENCE: setting(text, REQUIRED, "claim aud of the identity provider's tokens"),
  IDP_EMAIL_VERIFIED_CLAIM: setting(
    listOf(/^[^\s,]{1,200}$/, 'names of claims'),
    ['email_verified'],
    'claims that prove the e-mail address with true or "true", of which the first that a token has counts: names, or paths with dots; user_metadata never proves the address of an admin',
  ),
} as const;
