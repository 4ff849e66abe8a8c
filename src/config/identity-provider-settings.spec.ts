import { ConfigError, loadConfig } from './app-config.js';

/** The faults of these settings alone. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.filter((fault) => fault.startsWith('IDP_'));
  }
}

const MINIMAL = { IDP_ISSUER: 'https://id.example.com/', IDP_AUDIENCE: 'platform' };

describe('The settings of the identity provider', () => {
  it('need an issuer and an audience, or an authorized party for tokens without an audience', () => {
    expect(faultsOf(MINIMAL)).toEqual([]);
    const { IDP_ISSUER } = MINIMAL;
    expect(faultsOf({ IDP_ISSUER, IDP_AUTHORIZED_PARTY: 'https://app.example.com' })).toEqual([]);
    expect(faultsOf({ IDP_ISSUER })).toEqual([expect.stringMatching(/^IDP_AUDIENCE is not set/)]);
    expect(faultsOf({ IDP_AUDIENCE: 'a' })).toEqual([expect.stringMatching(/^IDP_ISSUER is not set/)]);
  });

  it('need IDP_JWKS_URL if the issuer is no address, where the key set could be discovered', () => {
    const issuer = { ...MINIMAL, IDP_ISSUER: 'accounts of example.com' };
    expect(faultsOf(issuer)).toEqual([
      expect.stringMatching(/^IDP_ISSUER: "accounts of example.com" is not/),
    ]);
    expect(faultsOf({ ...issuer, IDP_JWKS_URL: 'https://id.example.com/keys' })).toEqual([]);
    expect(faultsOf({ ...issuer, IDP_JWKS_URL: 'id.example.com/keys' })).toEqual([
      expect.stringMatching(/^IDP_JWKS_URL: "id.example.com\/keys" is not/),
    ]);
  });

  it.each([
    ['IDP_AUDIENCE', 'web-client,,ios-client'],
    ['IDP_AUTHORIZED_PARTY', ','],
    ['IDP_CLOCK_TOLERANCE_SECONDS', '301'],
    ['IDP_EMAIL_TRUSTED', 'yes'],
    ['IDP_NAME_CLAIM', 'first name'],
  ])('report %s with the value %s', (name, value) => {
    expect(faultsOf({ ...MINIMAL, [name]: value })).toEqual([
      expect.stringMatching(`^${name}: ".+" is not `),
    ]);
  });

  it.each(['HS256', 'RS256,HS512', 'none', 'rs256', 'RS256,', 'dir'])(
    'never accept the algorithms %s [SEC-500]',
    (IDP_ALGORITHMS) => {
      expect(faultsOf({ ...MINIMAL, IDP_ALGORITHMS })).toEqual([
        expect.stringMatching(
          /^IDP_ALGORITHMS: ".+" is not a comma-separated list of algorithms out of RS256,/,
        ),
      ]);
    },
  );

  it.each(['user_metadata.email', 'email,user_metadata.email', 'https://example.com/user_metadata.email'])(
    'never take the e-mail address from a claim that users can write: %s [SEC-502]',
    (IDP_EMAIL_CLAIM) => {
      expect(faultsOf({ ...MINIMAL, IDP_EMAIL_CLAIM })).toEqual([
        expect.stringMatching(/^IDP_EMAIL_CLAIM: ".+" is not .+ that users cannot write/),
      ]);
    },
  );
});
