import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import type { JWK, JWTPayload } from 'jose';
import { AppConfig } from '../../../src/config/app-config.js';
import { IDENTITY_KEYS_FILE } from '../../../src/sandbox/identity-provider.js';
import { ATTACKER_KEY_ID, AttackerKeyServer } from '../../verification/hostile-input/attacker-keys.js';
import {
  INVALID_CLAIM_TEXTS,
  INVALID_EMAIL_CLAIMS,
  INVALID_PROVIDER_CLAIMS,
  invalidPlatformClaims,
} from '../../verification/hostile-input/invalid-claims.js';
import {
  forgedJwt,
  INJECTED_KEY_IDS,
  INVALID_ALGORITHMS,
  signedJwt,
} from '../../verification/hostile-input/token-attacks.js';
import {
  isAccepted,
  TOKEN_ROUTES,
  TokenAttempts,
  type TokenRoute,
} from '../../verification/hostile-input/token-routes.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';

const HS256 = { alg: 'HS256', typ: 'JWT' };
let platform: TestPlatform;
let ann: TestUser;
let admin: TestAdmin;
let attackerKeyServer: AttackerKeyServer;
const attempts = new TokenAttempts();
const config = () => platform.app.get(AppConfig);
const idpToken = (claims: JWTPayload = {}) =>
  platform.outside.providers.identity.token({ email: 'ann@example.org', claims });
const login = (token: string) => platform.as({ token }).post('/api/auth/idp/login');
const profile = (token: string) => platform.as({ token }).get('/api/auth/user/profile');
const tryAll = (tokens: Record<string, string>) => attempts.tryAll(platform, tokens);

/** The key with which the identity provider signs by RS256. */
function providerKey(): KeyObject {
  const file = join(dirname(config().ADMINS_FILE), IDENTITY_KEYS_FILE);
  const keys = JSON.parse(readFileSync(file, 'utf8')) as JWK[];
  return createPrivateKey({ key: keys.find(({ alg }) => alg === 'RS256') as JWK, format: 'jwk' });
}

beforeAll(async () => {
  platform = await startPlatform();
  ann = await platform.given.user('ann@example.org');
  admin = await platform.given.admin();
  attackerKeyServer = await AttackerKeyServer.start();
});
afterAll(async () => {
  await attackerKeyServer?.stop();
  await platform?.stop();
});

describe('Only valid tokens are accepted, however they are presented [SEC-015]', () => {
  afterAll(() => {
    attempts.requireNoneAccepted();
    recordGuarantee('G-24', attempts.figure());
  });

  describe('A valid token', () => {
    const validTokens: Record<TokenRoute, () => string | Promise<string>> = {
      'GET /api/auth/user/profile': () => ann.token,
      'GET /api/auth/check': () => ann.token,
      'GET /api/admin/auth/verify': () => admin.token,
      'GET /api/auth/cookie/verify': () => ann.token,
      'GET /api/auth/cookie/admin/verify': () => admin.token,
      'POST /api/auth/idp/login': () => idpToken(),
      'POST /api/auth/refresh': async () => (await login(await idpToken())).data.refreshToken as string,
      'POST /api/admin/auth/validate-token': () => ann.token,
    };

    it.each(TOKEN_ROUTES)('is accepted by %s', async (route) => {
      expect(await isAccepted(platform, route, await validTokens[route]())).toBe(true);
    });

    it('is accepted when it is built by the functions of these tests with the right key (control)', async () => {
      const platformToken = forgedJwt(HS256, decodeJwt(ann.token), config().JWT_USER_SECRET);
      expect((await profile(platformToken)).status).toBe(200);
      const token = await idpToken();
      const providerToken = signedJwt(decodeProtectedHeader(token), decodeJwt(token), providerKey());
      expect((await login(providerToken)).status).toBe(200);
    });
  });

  describe('A token without a valid signature', () => {
    it('is rejected with no, a misspelled or a malformed algorithm [SEC-076]', async () => {
      for (const claims of [decodeJwt(ann.token), decodeJwt(await idpToken())])
        for (const alg of INVALID_ALGORITHMS) {
          const header = { alg, typ: 'JWT' };
          await tryAll({
            [`alg ${JSON.stringify(alg)}`]: forgedJwt(header, claims),
            [`alg ${JSON.stringify(alg)}, HMAC with an empty key`]: forgedJwt(header, claims, ''),
          });
        }
    });

    it('is rejected when it is signed with the identity provider’s public key as an HMAC secret [SEC-099]', async () => {
      const tokens: Record<string, string> = {};
      for (const jwk of platform.outside.providers.identity.jwks().keys) {
        const key = createPublicKey({ key: jwk, format: 'jwk' });
        const secrets = {
          pem: key.export({ type: 'spki', format: 'pem' }),
          der: key.export({ type: 'spki', format: 'der' }),
          jwk: JSON.stringify(jwk),
          n: jwk.n ?? (jwk.x as string),
        };
        for (const [form, secret] of Object.entries(secrets))
          for (const [alg, hash] of [
            ['HS256', 'sha256'],
            ['HS512', 'sha512'],
          ] as const) {
            const claims = decodeJwt(await idpToken());
            tokens[`${jwk.alg} as ${form}, ${alg}`] = forgedJwt({ alg, kid: jwk.kid }, claims, secret, hash);
          }
      }
      await tryAll(tokens);
    });

    it('is rejected when it is signed with the attacker’s key, named by any header field [SEC-077]', async () => {
      const { privateKey, jwk, certificate } = attackerKeyServer.key;
      const { jwksUrl, certificateUrl } = attackerKeyServer;
      const [providerJwk] = platform.outside.providers.identity.jwks().keys as [JWK];
      const headers: Record<string, object> = {
        'known kid': { kid: providerJwk.kid },
        'embedded jwk': { jwk },
        'embedded jwk, known kid': { jwk, kid: providerJwk.kid },
        jku: { jku: jwksUrl, kid: ATTACKER_KEY_ID },
        x5u: { x5u: certificateUrl, kid: ATTACKER_KEY_ID },
        x5c: { x5c: [certificate.toString('base64')] },
        'kid is a URL': { kid: jwksUrl },
      };
      const providerClaims = { ...decodeJwt(await idpToken()), email: 'admin@example.com' };
      const platformClaims = decodeJwt(ann.token);
      const rs256 = (header: object, claims: JWTPayload) =>
        signedJwt({ alg: 'RS256', typ: 'JWT', ...header }, claims, privateKey);
      for (const [attack, header] of Object.entries(headers))
        await tryAll({
          [attack]: rs256(header, providerClaims),
          [`${attack}, the platform’s claims`]: rs256(header, platformClaims),
          [`${attack}, HS256`]: forgedJwt({ ...HS256, ...header }, platformClaims, JSON.stringify(jwk)),
        });
      expect(attackerKeyServer.requests).toBe(0); // the platform fetches no keys from an attacker's URL
      // A service that fetched the key from these URLs would accept the tokens.
      const token = rs256({ kid: ATTACKER_KEY_ID }, providerClaims);
      await jwtVerify(token, createRemoteJWKSet(new URL(jwksUrl)));
      await jwtVerify(token, new X509Certificate((await sendRequest(certificateUrl)).text).publicKey);
    });

    it('is rejected when its kid contains a path, URL or injection [SEC-100]', async () => {
      const claims = decodeJwt(await idpToken());
      for (const kid of INJECTED_KEY_IDS)
        await tryAll({
          [`${kid}, empty secret`]: forgedJwt({ ...HS256, kid }, decodeJwt(ann.token), ''),
          [`${kid}, secret returned by the injected SQL`]: forgedJwt({ ...HS256, kid }, claims, 'secret'),
          [`${kid}, RS256`]: forgedJwt({ alg: 'RS256', kid }, claims, 'secret'),
        });
    });

    it('is rejected with a guessed secret, with a changed bit, or without its header, claims or signature [SEC-098]', async () => {
      const guesses = ['', 'secret', 'password', 'changeme', config().JWT_ISSUER, config().JWT_ADMIN_SECRET];
      const tokens = Object.fromEntries(
        guesses.map((guess, index) => [`secret ${index}`, forgedJwt(HS256, decodeJwt(ann.token), guess)]),
      );
      for (const [name, validToken] of [
        ['the platform’s', ann.token],
        ['the provider’s', await idpToken()],
      ] as const)
        for (const [index, text] of validToken.split('.').entries()) {
          const flipped = Buffer.from(text, 'base64url');
          flipped[10] = (flipped[10] as number) ^ 1;
          const parts = validToken.split('.');
          parts[index] = flipped.toString('base64url');
          tokens[`${name}: a bit of part ${index}`] = parts.join('.');
          parts[index] = '';
          tokens[`${name}: no part ${index}`] = parts.join('.');
        }
      await tryAll(tokens);
    });

    it('is rejected with a zero, truncated, doubled or differently encoded signature [SEC-114]', async () => {
      const [header, claims, signature] = ann.token.split('.') as [string, string, string];
      const withZeros = (token: string, bytes: number) =>
        `${token.slice(0, token.lastIndexOf('.'))}.${Buffer.alloc(bytes).toString('base64url')}`;
      const options = { email: 'ann@example.org', algorithm: 'ES256' } as const;
      await tryAll({
        'HS256 with a zero signature': withZeros(ann.token, 32),
        'RS256 with a zero signature': withZeros(await idpToken(), 256),
        'ES256 with r = 0 and s = 0': withZeros(await platform.outside.providers.identity.token(options), 64),
        'no signature': `${header}.${claims}`,
        'half a signature': `${header}.${claims}.${signature.slice(0, 21)}`,
        'a signature twice': `${ann.token}.${signature}`,
        'the token twice': `${ann.token}.${ann.token}`,
        'five parts like a JWE': `${header}..${claims}.${signature}.${signature}`,
        'flattened JSON serialisation': `{"payload":"${claims}","signature":"${signature}"}`,
        'the text "null"': 'null',
      });
    });

    it('is rejected at any length, and the service stays available', async () => {
      for (const kilobytes of [1, 4, 7])
        await tryAll({ [`${kilobytes} kB`]: forgedJwt(HS256, { x: 'x'.repeat(kilobytes * 750) }, 'secret') });
      const { status } = await sendRequest(`${platform.baseUrl}/api/auth/check`, {
        headers: { authorization: `Bearer ${'x'.repeat(100_000)}` },
      });
      attempts.record('GET /api/auth/check', '100 kB', status < 400);
      expect(status).toBe(431);
      expect((await profile(ann.token)).status).toBe(200);
    });
  });

  describe('A token with a valid signature', () => {
    it('is rejected with missing, malformed, expired or foreign claims, or another algorithm [SEC-102]', async () => {
      const { JWT_USER_SECRET: secret } = config();
      const claims = decodeJwt(ann.token);
      for (const [name, change] of Object.entries(invalidPlatformClaims(claims, config())))
        await tryAll({ [name]: forgedJwt(HS256, { ...claims, ...change }, secret) });
      for (const text of INVALID_CLAIM_TEXTS)
        await tryAll({ [`claims ${text}`]: forgedJwt(HS256, text, secret) });
      await tryAll({ HS512: forgedJwt({ alg: 'HS512', typ: 'JWT' }, claims, secret, 'sha512') });
    });

    it('is rejected with a critical header parameter, which no route supports', async () => {
      const parameter = 'https://example.com/unknown';
      const headers: Record<string, object> = {
        'unknown crit': { crit: [parameter], [parameter]: true },
        'crit with an absent parameter': { crit: [parameter] },
        'crit exp': { crit: ['exp'], exp: 9_999_999_999 },
        'empty crit': { crit: [] },
        'b64 false': { crit: ['b64'], b64: false },
      };
      const [token, secret] = [await idpToken(), config().JWT_USER_SECRET];
      for (const [name, header] of Object.entries(headers)) {
        const providerHeader = { ...decodeProtectedHeader(token), ...header };
        await tryAll({
          [`${name}, HS256`]: forgedJwt({ ...HS256, ...header }, decodeJwt(ann.token), secret),
          [`${name}, RS256`]: signedJwt(providerHeader, decodeJwt(token), providerKey()),
        });
      }
    });

    it('is rejected with the session or the sub of another user or admin [SEC-103]', async () => {
      const eve = await platform.given.user();
      const userToken = (claims: JWTPayload) => forgedJwt(HS256, claims, config().JWT_USER_SECRET);
      const adminToken = (claims: JWTPayload) => forgedJwt(HS256, claims, config().JWT_ADMIN_SECRET);
      const annClaims = decodeJwt(ann.token);
      const eveClaims = decodeJwt(eve.token);
      const adminClaims = decodeJwt(admin.token);
      await tryAll({
        'Ann’s token with the jti of Eve’s session': userToken({ ...annClaims, jti: eveClaims.jti }),
        'Eve’s token with the jti of an admin’s session': userToken({ ...eveClaims, jti: adminClaims.jti }),
        'an admin’s token with the jti of Eve’s session': adminToken({ ...adminClaims, jti: eveClaims.jti }),
        'an admin’s token with Ann’s sub': adminToken({ ...adminClaims, sub: ann.id }),
        'Eve’s token with an admin’s sub': userToken({ ...eveClaims, sub: adminClaims.sub }),
      });
      expect((await profile(eve.token)).status).toBe(200); // the sessions themselves stay valid
    });

    it('of the platform is rejected as a token of the identity provider, and the other way round [SEC-104]', async () => {
      expect((await login(ann.token)).code).toBe('SUPABASE_JWT_INVALID');
      expect((await profile(await idpToken())).code).toBe('TOKEN_INVALID');
    });
  });

  describe('A token of the identity provider', () => {
    const signInCode = async (name: string, claims: JWTPayload): Promise<string | undefined> => {
      const token = await idpToken(claims);
      await tryAll({ [name]: token });
      return (await login(token)).code;
    };

    it.each(INVALID_PROVIDER_CLAIMS)('is rejected with %s [SEC-105]', async (name, claims) => {
      expect(await signInCode(name, claims())).toBe('SUPABASE_JWT_INVALID');
    });

    it.each(INVALID_EMAIL_CLAIMS)(
      'is rejected with %s in its e-mail claims [SEC-080]',
      async (name, claims, code) => {
        expect(await signInCode(name, claims)).toBe(code);
      },
    );

    it('grants no permissions by additional claims [SEC-106]', async () => {
      const claims = { role: 'admin', roles: ['admin'], permissions: ['*'], isAdmin: true, type: 'admin' };
      const { data } = await login(await idpToken({ ...claims, app_metadata: claims, sub: 'admin' }));
      expect(data.isAdmin).toBe(false);
      expect(decodeJwt(data.token)).toMatchObject({ type: 'user', sub: ann.id });
      expect(decodeJwt(data.token)).not.toHaveProperty('permissions');
      expect((await platform.as(data).get('/api/admin/users')).code).toBe('ADMIN_REQUIRED');
    });
  });
});
