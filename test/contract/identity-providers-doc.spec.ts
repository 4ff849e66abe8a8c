import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JWTPayload } from 'jose';
import { AppConfig, ConfigError, loadConfig } from '../../src/config/app-config.js';
import { AdminDirectoryService } from '../../src/modules/identity/admins/admin-directory.service.js';
import {
  IdentityProviderClient,
  IdentityProviderKeysClient,
} from '../../src/modules/identity/auth/identity-provider.client.js';
import type { UsersService } from '../../src/modules/identity/users/users.service.js';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import type { DomainError } from '../../src/common/errors/domain-error.js';
import { TokenIssuer } from '../fixtures/token-issuer.js';
import { testFolder } from '../harness/test-folder.js';

interface SampleToken {
  readonly algorithm: string;
  /** Beside `iss`, which is the issuer of the block. */
  readonly claims: JWTPayload;
  /** Claims that say that the address is not verified. */
  readonly unverified: JWTPayload;
  readonly name: string | null;
}

const ANN = { sub: '7f3c', email: 'ann@example.org' };
const VERIFIED = { ...ANN, email_verified: true };
const UNVERIFIED = { email_verified: false };

/** A token of each provider, by the heading of its section. */
const SAMPLES: Record<string, SampleToken> = {
  Supabase: {
    algorithm: 'ES256',
    claims: {
      ...ANN,
      aud: 'authenticated',
      role: 'authenticated',
      app_metadata: { provider: 'email' },
      user_metadata: { email_verified: true, full_name: 'Ann Lee' },
      is_anonymous: false,
    },
    unverified: UNVERIFIED,
    name: 'Ann Lee',
  },
  Auth0: {
    algorithm: 'RS256',
    claims: { ...VERIFIED, aud: 'Kx2fYc7mRt5uWq9zBn3vLp6sHd8gJe1a', name: 'Ann Lee', nickname: 'ann' },
    unverified: UNVERIFIED,
    name: 'Ann Lee',
  },
  'Auth0 (access tokens)': {
    algorithm: 'RS256',
    claims: {
      sub: 'auth0|7f3c',
      aud: ['https://api.example.com', 'https://example.eu.auth0.com/userinfo'],
      azp: 'Kx2fYc7mRt5uWq9zBn3vLp6sHd8gJe1a',
      'https://example.com/email': ANN.email,
      'https://example.com/email_verified': true,
      'https://example.com/name': 'Ann Lee',
    },
    unverified: { 'https://example.com/email_verified': false },
    name: 'Ann Lee',
  },
  'Amazon Cognito': {
    algorithm: 'RS256',
    claims: {
      ...VERIFIED,
      aud: '1example23456789abcdefghij',
      token_use: 'id',
      given_name: 'Ann',
      family_name: 'Lee',
    },
    unverified: UNVERIFIED,
    name: 'Ann Lee',
  },
  Keycloak: {
    algorithm: 'RS256',
    claims: { ...VERIFIED, aud: 'web-client', azp: 'web-client', typ: 'ID', name: 'Ann Lee' },
    unverified: UNVERIFIED,
    name: 'Ann Lee',
  },
  'Microsoft Entra ID': {
    algorithm: 'RS256',
    claims: {
      ...ANN,
      aud: '11111111-2222-3333-4444-555555555555',
      tid: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      ver: '2.0',
      xms_edov: true,
      name: 'Ann Lee',
    },
    unverified: { xms_edov: false },
    name: 'Ann Lee',
  },
  Google: {
    algorithm: 'RS256',
    claims: {
      ...VERIFIED,
      aud: '123456789012-ios.apps.googleusercontent.com',
      azp: '123456789012-ios.apps.googleusercontent.com',
      name: 'Ann Lee',
    },
    unverified: UNVERIFIED,
    name: 'Ann Lee',
  },
  Apple: {
    algorithm: 'RS256',
    claims: { ...ANN, aud: 'com.example.app', email_verified: 'true', is_private_email: 'false' },
    unverified: { email_verified: 'false' },
    name: null,
  },
  Firebase: {
    algorithm: 'RS256',
    claims: {
      ...VERIFIED,
      aud: 'example-project',
      name: 'Ann Lee',
      firebase: { identities: { email: [ANN.email] }, sign_in_provider: 'password' },
    },
    unverified: UNVERIFIED,
    name: 'Ann Lee',
  },
  Clerk: {
    algorithm: 'RS256',
    claims: { ...VERIFIED, azp: 'https://app.example.com', sid: 'sess_2a', v: 2, name: 'Ann Lee' },
    unverified: UNVERIFIED,
    name: 'Ann Lee',
  },
  Logto: {
    algorithm: 'ES384',
    claims: { ...VERIFIED, aud: 'a1b2c3d4e5f6g7h8i9j0k', name: 'Ann Lee' },
    unverified: UNVERIFIED,
    name: 'Ann Lee',
  },
};

/** The settings of each section with a block, by its heading. */
const BLOCKS = new Map(
  [...readFileSync('docs/identity-providers.md', 'utf8').matchAll(/^## (.+)\n((?:(?!^## )[^])*)/gm)].flatMap(
    ([, heading = '', section = '']) => {
      const block = /^```sh\n([^`]*)^```/m.exec(section)?.[1];
      const lines = block?.trim().split('\n') ?? [];
      // The name and the value of each line, at its first "=".
      const settings = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
      return block ? [[heading, settings as Record<string, string>] as const] : [];
    },
  ),
);

/** The list of admins is empty, so that the users are not asked about their accounts. */
const NO_USERS = {} as UsersService;

describe('docs/identity-providers.md', () => {
  let issuer: TokenIssuer;
  let adminsFile: string;

  beforeAll(async () => {
    issuer = await TokenIssuer.start('RS256', 'ES256', 'ES384');
    adminsFile = join(testFolder('identity-providers'), 'admins.json');
    writeFileSync(adminsFile, '[]');
  });
  afterAll(() => issuer?.stop());

  const configOf = (heading: string) =>
    loadConfig({
      ...SANDBOX_SETTINGS,
      IDP_AUDIENCE: '',
      NODE_ENV: 'test',
      DATABASE_URL: 'postgres://unused',
      DEPOSIT_PROVIDER_URL: 'http://unused',
      RPC_URL: 'http://unused',
      CHAIN_ID: '1',
      USDC_CONTRACT_ADDRESS: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      ADMINS_FILE: adminsFile,
      ...BLOCKS.get(heading),
    });
  /** The person that a service with the block's settings finds in a token; its keys are those of the tests' own issuer. */
  const verify = async (heading: string, changes: JWTPayload = {}) => {
    const { algorithm, claims } = SAMPLES[heading] as SampleToken;
    const config = new AppConfig({ ...configOf(heading), IDP_JWKS_URL: issuer.keySetUrl });
    const client = new IdentityProviderClient(
      config,
      new AdminDirectoryService(config, NO_USERS),
      new IdentityProviderKeysClient(config),
    );
    return client.verify(await issuer.token({ iss: config.IDP_ISSUER, ...claims, ...changes }, algorithm));
  };
  const refusalOf = (heading: string, changes: JWTPayload) =>
    verify(heading, changes).then(
      () => 'accepted',
      (error: DomainError) => error.code,
    );

  it('has a block of settings for each provider of which the test has a token', () => {
    expect([...BLOCKS.keys()]).toEqual(Object.keys(SAMPLES));
  });

  it.each(Object.keys(SAMPLES))('has settings for %s that are valid in production', (heading) => {
    const env = { NODE_ENV: 'production', ...BLOCKS.get(heading) };
    try {
      loadConfig(env);
    } catch (error) {
      expect((error as ConfigError).faults.filter((fault) => fault.startsWith('IDP_'))).toEqual([]);
    }
  });

  it.each(Object.entries(SAMPLES))(
    'has settings that accept a token of %s',
    async (heading, { name, claims }) => {
      expect(await verify(heading)).toMatchObject({ email: ANN.email, name, subject: claims.sub });
    },
  );

  it.each(Object.entries(SAMPLES))(
    'has settings that refuse a token of %s for another application, of another issuer, and with an address that is not verified',
    async (heading, { claims, unverified }) => {
      const recipient = claims.aud === undefined ? { azp: 'https://evil.example' } : { aud: 'others' };
      expect(await refusalOf(heading, recipient)).toBe('SUPABASE_JWT_INVALID');
      expect(await refusalOf(heading, { iss: issuer.url })).toBe('SUPABASE_JWT_INVALID');
      expect(await refusalOf(heading, unverified)).toBe('EMAIL_NOT_VERIFIED');
    },
  );

  it('names every setting of the identity provider', () => {
    const text = readFileSync('docs/identity-providers.md', 'utf8');
    const names = readFileSync('.env.example', 'utf8').match(/^#IDP_\w+/gm) ?? [];
    // IDP_NAME is a part of the service's own paths.
    expect(names.filter((name) => name !== '#IDP_NAME' && !text.includes(`\`${name.slice(1)}\` |`))).toEqual(
      [],
    );
    expect(names.length).toBeGreaterThan(8);
  });
});
