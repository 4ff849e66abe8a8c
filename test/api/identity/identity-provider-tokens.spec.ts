import type { JWTPayload } from 'jose';
import { forgedJwt } from '../../verification/hostile-input/token-attacks.js';
import { IDP_LOGIN } from '../../fixtures/identities.js';
import { KEYS_PATH, TokenIssuer } from '../../fixtures/token-issuer.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { skipTime } from '../../harness/skip-time.js';

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
const ADMIN = 'admin@example.com';
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

let issuer: TokenIssuer;
let platform: TestPlatform;
let stopApi: (() => Promise<void>) | undefined;
let apiUrl: string;
let emailCount = 0;

beforeAll(async () => {
  issuer = await TokenIssuer.start(...ALGORITHMS);
  platform = await startPlatform();
});
afterAll(async () => {
  await platform?.stop();
  await issuer?.stop();
});

/** Starts the API of the tests of a `describe`, with these settings; the issuer, whose key set it discovers, is its identity provider. */
function withSettings(settings: Record<string, string>): void {
  beforeAll(async () => {
    const { url, stop } = await startApiWithSettings(platform, {
      IDP_ISSUER: issuer.url,
      IDP_JWKS_URL: '',
      ...settings,
    });
    apiUrl = url;
    stopApi = stop;
  });
  afterAll(() => stopApi?.());
}

const signIn = (token: string) => platform.as({ token }, apiUrl).post(IDP_LOGIN);
/** Signs in with these claims beside an e-mail address of its own, which they can replace. */
const signInBy = async (claims: JWTPayload, algorithm = 'RS256') =>
  signIn(await issuer.token({ email: `claims-${++emailCount}@example.org`, ...claims }, algorithm));
/** 200, or the code of the refusal with its reason. */
const outcomeOf = async (claims: JWTPayload, algorithm?: string) => {
  const { status, code, body } = await signInBy(claims, algorithm);
  return status === 200 ? status : [code, body.error.details?.reason].filter(Boolean).join(': ');
};
const nameOf = async (claims: JWTPayload) => (await signInBy(claims)).data.user.full_name;

describe('A token of the identity provider', () => {
  withSettings({ IDP_AUDIENCE: 'web-client, com.example.app' });
  const valid = { aud: 'web-client', email_verified: true };

  it.each(ALGORITHMS)('is accepted with a signature by %s', async (algorithm) => {
    expect(await outcomeOf(valid, algorithm)).toBe(200);
  });

  it.each(['none', 'HS256', 'HS384', 'HS512'])('is refused with the algorithm %s [SEC-505]', async (alg) => {
    const claims = { ...valid, iss: issuer.url, email: ADMIN, exp: inSeconds(600) };
    const key = alg === 'none' ? undefined : await (await fetch(issuer.keySetUrl)).text();
    const { code, body } = await signIn(forgedJwt({ alg, typ: 'JWT' }, claims, key));
    expect([code, body.error.details.reason]).toEqual(['SUPABASE_JWT_INVALID', 'algorithm']);
  });

  it.each([
    ['of the first client', { aud: 'web-client' }, 200],
    [
      'of the second client, with a text for true as Apple sends it',
      { aud: 'com.example.app', email_verified: 'true' },
      200,
    ],
    ['of several, among them one of ours', { aud: ['others', 'web-client'] }, 200],
    ['of another client', { aud: 'others' }, 'SUPABASE_JWT_INVALID: claim aud'],
    ['of the whole list', { aud: 'web-client, com.example.app' }, 'SUPABASE_JWT_INVALID: claim aud'],
    ['of nobody', { aud: undefined, azp: 'web-client' }, 'SUPABASE_JWT_INVALID: claim aud'],
    ['of nobody, as null', { aud: null, azp: 'web-client' }, 'SUPABASE_JWT_INVALID: claim aud'],
  ])('with the audience %s is judged by IDP_AUDIENCE [SEC-501]', async (_, claims, outcome) => {
    expect(await outcomeOf({ ...valid, ...(claims as JWTPayload) })).toBe(outcome);
  });

  it.each([
    ['nbf', 10, 200],
    ['nbf', 60, 'SUPABASE_JWT_INVALID: claim nbf'],
    ['exp', -10, 200],
    ['exp', -60, 'SUPABASE_JWT_INVALID: expired'],
  ])('with %s in %i seconds is judged with a tolerance of 30 seconds', async (claim, seconds, outcome) => {
    expect(await outcomeOf({ ...valid, [claim]: inSeconds(seconds) })).toBe(outcome);
  });

  it.each([
    ['name', { name: 'Ann Lee', full_name: 'Other' }, 'Ann Lee'],
    ['full_name', { name: '', full_name: 'Ann Lee' }, 'Ann Lee'],
    [
      'full_name in user_metadata',
      { name: 7, user_metadata: { full_name: 'Ann Lee', name: 'Other' } },
      'Ann Lee',
    ],
    ['name in user_metadata', { user_metadata: { name: 'Ann Lee' } }, 'Ann Lee'],
    ['given_name and family_name', { given_name: 'Ann', family_name: 'Lee' }, 'Ann Lee'],
    ['given_name alone', { given_name: 'Ann', family_name: '' }, 'Ann'],
    [
      'given_name and family_name in user_metadata',
      { user_metadata: { given_name: 'Ann', family_name: 'Lee' } },
      'Ann Lee',
    ],
    ['no claim', { user_metadata: { family_name: ['Lee'] } }, null],
  ])('names the person by %s', async (_, claims, expected) => {
    expect(await nameOf({ ...valid, ...claims })).toBe(expected);
  });
});

describe('IDP_AUTHORIZED_PARTY', () => {
  withSettings({
    IDP_AUDIENCE: 'web-client',
    IDP_AUTHORIZED_PARTY: 'https://app.example.com, https://www.example.com',
    IDP_ALGORITHMS: 'ES256',
    IDP_CLOCK_TOLERANCE_SECONDS: '0',
  });

  it.each([
    ['an application of the list', { azp: 'https://www.example.com' }, 200],
    [
      'another application',
      { azp: 'https://app.example.com.evil.example' },
      'SUPABASE_JWT_INVALID: claim azp',
    ],
    ['a list of applications', { azp: ['https://app.example.com'] }, 'SUPABASE_JWT_INVALID: claim azp'],
    ['no application', {}, 'SUPABASE_JWT_INVALID: claim azp'],
    [
      'an application of the list, for another audience',
      { aud: 'others', azp: 'https://app.example.com' },
      'SUPABASE_JWT_INVALID: claim aud',
    ],
    ['another application, for an audience of ours', { aud: 'web-client', azp: 'others' }, 200],
  ])(
    'has to list the application that azp names in a token without aud: %s [SEC-506]',
    async (_, claims, outcome) => {
      expect(await outcomeOf({ email_verified: true, ...(claims as JWTPayload) }, 'ES256')).toBe(outcome);
    },
  );

  it('leaves the limits of IDP_ALGORITHMS and IDP_CLOCK_TOLERANCE_SECONDS in force', async () => {
    const claims = { aud: 'web-client', email_verified: true };
    expect(await outcomeOf(claims, 'RS256')).toBe('SUPABASE_JWT_INVALID: algorithm');
    expect(await outcomeOf({ ...claims, nbf: inSeconds(10) }, 'ES256')).toBe(
      'SUPABASE_JWT_INVALID: claim nbf',
    );
  });
});

describe('Settings that name claims', () => {
  withSettings({
    IDP_AUDIENCE: 'https://api.example.com',
    IDP_EMAIL_CLAIM: 'https://example.com/email,contact.email',
    IDP_EMAIL_VERIFIED_CLAIM: 'https://example.com/email_verified,contact.verified,xms_edov',
    IDP_NAME_CLAIM: 'https://example.com/name,contact.first+contact.last',
  });
  const aud = ['https://api.example.com'];

  it('find claims whose names are URLs', async () => {
    const claims = {
      'https://example.com/email': 'url@example.org',
      'https://example.com/email_verified': true,
      'https://example.com/name': 'Ann Lee',
    };
    const { data } = await signInBy({ aud, ...claims, email: 'other@example.org', name: 'Other' });
    expect(data.user).toMatchObject({ email: 'url@example.org', full_name: 'Ann Lee' });
  });

  it('find claims by paths', async () => {
    const contact = { email: 'path@example.org', verified: 'true', first: 'Ann', last: 'Lee' };
    const { data } = await signInBy({ aud, contact });
    expect(data.user).toMatchObject({ email: 'path@example.org', full_name: 'Ann Lee' });
  });

  it('accept the claim with which Microsoft Entra ID proves an address', async () => {
    const contact = { email: 'edov@example.org' };
    expect(await outcomeOf({ aud, contact, xms_edov: true })).toBe(200);
    expect(await outcomeOf({ aud, contact, xms_edov: false })).toBe('EMAIL_NOT_VERIFIED');
    expect(await outcomeOf({ aud, contact })).toBe('EMAIL_NOT_VERIFIED');
  });

  it('replace the default claims', async () => {
    expect(await outcomeOf({ aud, email_verified: true })).toBe('EMAIL_MANDATORY: is missing');
  });
});

describe('IDP_EMAIL_TRUSTED', () => {
  withSettings({
    IDP_AUDIENCE: 'app',
    IDP_EMAIL_TRUSTED: 'true',
    IDP_EMAIL_VERIFIED_CLAIM: 'email_verified,user_metadata.email_verified',
  });

  it.each([
    ['no claim', {}, 200],
    ['true', { email_verified: true }, 200],
    ['false', { email_verified: false }, 'EMAIL_NOT_VERIFIED'],
    ['the text "false"', { email_verified: 'false' }, 'EMAIL_NOT_VERIFIED'],
    ['null', { email_verified: null }, 'EMAIL_NOT_VERIFIED'],
    ['false in user_metadata', { user_metadata: { email_verified: false } }, 'EMAIL_NOT_VERIFIED'],
  ])('accepts addresses unless a claim contradicts: %s', async (_, claims, outcome) => {
    expect(await outcomeOf({ aud: 'app', ...claims })).toBe(outcome);
  });

  it('covers the addresses of admins, for whom user_metadata counts as absent [SEC-507]', async () => {
    for (const value of [true, false])
      expect(await outcomeOf({ aud: 'app', email: ADMIN, user_metadata: { email_verified: value } })).toBe(
        200,
      );
  });
});

describe('The health of the identity provider', () => {
  withSettings({ IDP_AUDIENCE: 'app' });

  it('names the fault of a key set that no sign-in can use, and recovers', async () => {
    const health = async () => {
      skipTime(3000); // results are cached for two seconds
      const { data } = await platform.as(null, apiUrl).get('/api/health/detailed');
      return data.components.find(
        ({ component }: { component: string }) => component === 'identity-provider',
      );
    };
    expect(await health()).toMatchObject({ status: 'healthy' });
    for (const [status, message] of [
      [302, 'The identity provider redirects its key set (status 302) to an address that is not followed.'],
      [200, 'The identity provider answers with an HTML page in place of its key set.'],
    ] as const) {
      issuer.answers.set(KEYS_PATH, (response) =>
        response.writeHead(status, { location: '/', 'content-type': 'text/html' }).end('<html></html>'),
      );
      expect(await health()).toMatchObject({ status: 'unhealthy', message });
    }
    issuer.answers.clear();
    expect(await health()).toMatchObject({ status: 'healthy' });
  });
});
