import { integer, listOf, oneOf, pathSegmentBut, text, url, type Reader } from './readers.js';
import { REQUIRED, setting } from './setting.js';

/** The asymmetric algorithms of JOSE. With a symmetric one every client that verifies tokens could also sign them. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Claims under `user_metadata` or `unsafe_metadata`, with or without a namespace. Some providers let users write them. */
const WRITTEN_BY_USERS = /(^|[./])(user|unsafe)_metadata(\.|$)/;

export function isWrittenByUsers(claim: string): boolean {
  return WRITTEN_BY_USERS.test(claim);
}

const claims = listOf(/^[^\s,]{1,200}$/, 'names of claims');

const providerClaims: Reader<string[]> = {
  expects: `${claims.expects} that users cannot write: not under user_metadata`,
  read: (value) => {
    const names = claims.read(value);
    return names?.some(isWrittenByUsers) ? undefined : names;
  },
};

/** The settings of the identity provider and of the claims that are read from its tokens (docs/identity-providers.md). */
export const IDENTITY_PROVIDER_SETTINGS = {
  IDP_NAME: setting(
    pathSegmentBut('wallet'),
    'idp',
    'path segment of the identity provider: /api/auth/<name>/login',
  ),
  IDP_ISSUER: setting(
    text,
    REQUIRED,
    "claim iss of the identity provider's tokens; the key set is found by OpenID discovery at this address unless IDP_JWKS_URL is set",
  ),
  IDP_JWKS_URL: setting(
    url('http:', 'https:'),
    undefined,
    "address of the identity provider's public keys, instead of OpenID discovery",
  ),
  IDP_AUDIENCE: setting(
    listOf(/^[^,]{1,200}$/, 'audiences'),
    [] as string[],
    'accepted values of the claim aud, one per client application; IDP_AUDIENCE or IDP_AUTHORIZED_PARTY is required',
  ),
  IDP_AUTHORIZED_PARTY: setting(
    listOf(/^[^,]{1,200}$/, 'authorized parties'),
    [] as string[],
    'accepted values of the claim azp in tokens without the claim aud',
  ),
  IDP_ALGORITHMS: setting(
    listOf(new RegExp(`^(${ALGORITHMS.join('|')})$`), `algorithms out of ${ALGORITHMS.join(', ')}`),
    ALGORITHMS,
    'accepted algorithms of signatures',
  ),
  IDP_CLOCK_TOLERANCE_SECONDS: setting(
    integer(0, 300),
    30,
    "by how much the identity provider's clock may differ",
  ),
  IDP_EMAIL_CLAIM: setting(
    providerClaims,
    ['email'],
    'claims with the e-mail address, of which the first that a token has counts: names, or paths with dots',
  ),
  IDP_NAME_CLAIM: setting(
    claims,
    [
      'name',
      'full_name',
      'user_metadata.full_name',
      'user_metadata.name',
      'given_name+family_name',
      'user_metadata.given_name+user_metadata.family_name',
    ],
    "claims with the person's name, of which the first with a text counts: names, paths with dots, or several that are joined by +",
  ),
  IDP_EMAIL_VERIFIED_CLAIM: setting(
    claims,
    ['email_verified'],
    'claims that prove the e-mail address with true or "true", of which the first that a token has counts: names, or paths with dots; user_metadata never proves the address of an admin',
  ),
  IDP_EMAIL_TRUSTED: setting(
    oneOf('true', 'false'),
    'false' as const,
    'true: the identity provider verifies every address, so that tokens without the claims of IDP_EMAIL_VERIFIED_CLAIM are accepted',
  ),
  IDP_ADMIN_ACR: setting(
    listOf(/^[^,]{1,200}$/, 'values of acr or amr'),
    [] as string[],
    'values of the claims acr and amr, such as mfa, with which the identity provider says that it has verified a second factor: a sign-in of an admin with one of them needs no other',
  ),
} as const;

/** The faults of the settings together; an invalid setting has been reported already and is not missing. */
export function identityProviderFaults(isMissing: (name: string) => boolean, issuer: unknown): string[] {
  const faults: string[] = [];
  if (isMissing('IDP_AUDIENCE') && isMissing('IDP_AUTHORIZED_PARTY'))
    faults.push(
      'IDP_AUDIENCE is not set (the claim aud of tokens for this platform). Set it to a comma-separated list of audiences, ' +
        'or IDP_AUTHORIZED_PARTY if the tokens have no aud.',
    );
  const discovery = url('http:', 'https:');
  if (isMissing('IDP_JWKS_URL') && typeof issuer === 'string' && discovery.read(issuer) === undefined)
    faults.push(
      `IDP_ISSUER: ${JSON.stringify(issuer.slice(0, 80))} is not ${discovery.expects}, where the key set could be discovered. ` +
        'Correct it, or set IDP_JWKS_URL.',
    );
  return faults;
}
