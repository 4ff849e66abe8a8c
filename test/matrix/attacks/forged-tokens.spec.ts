import { createPublicKey, randomBytes, randomUUID } from 'node:crypto';
import { decodeJwt, SignJWT, type JWK, type JWTPayload } from 'jose';
import { AppConfig } from '../../../src/config/app-config.js';
import {
  AttackLog,
  forgedJwt,
  KeyServer,
  isAcceptedAnywhere,
  generateAttackerKey,
  NONE_ALGORITHMS,
  INJECTED_KEY_IDS,
} from '../../verification/hostile-input/token-attacks.js';
import type { TestUser } from '../../fixtures/given.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';

const HS256 = { alg: 'HS256', typ: 'JWT' };
let platform: TestPlatform;
let ann: TestUser;
let trap: KeyServer;
const attempts = new AttackLog();
const config = () => platform.app.get(AppConfig);
const idp = (claims: JWTPayload = {}) =>
  platform.outside.providers.identity.token({ email: 'ann@example.org', claims });
const login = (token: string) => platform.as({ token }).post('/api/auth/idp/login');
const profile = (token: string) => platform.as({ token }).get('/api/auth/user/profile');
const tryAll = (tokens: Record<string, string>) => attempts.tokens(platform, tokens);

beforeAll(async () => {
  platform = await startPlatform();
  ann = await platform.given.user('ann@example.org');
  trap = await KeyServer.start();
});
afterAll(async () => {
  await trap.stop();
  await platform.stop();
});

describe('Only valid tokens are accepted by any route [SEC-015]', () => {
  it('the check of these tests recognises valid tokens of the platform and the identity provider', async () => {
    const again = forgedJwt(HS256, decodeJwt(ann.token), config().JWT_USER_SECRET);
    for (const good of [ann.token, await idp(), again])
      expect(await isAcceptedAnywhere(platform, good)).toBe(true);
  });

  describe('A token without a valid signature', () => {
    it('is rejected with the algorithm none in every spelling [SEC-076]', async () => {
      for (const claims of [decodeJwt(ann.token), decodeJwt(await idp())])
        await tryAll(
          Object.fromEntries(
            NONE_ALGORITHMS.flatMap((alg) => [
              [`alg ${JSON.stringify(alg)}`, forgedJwt({ alg, typ: 'JWT' }, claims)],
              [`alg ${JSON.stringify(alg)}, signed by nothing`, forgedJwt({ alg, typ: 'JWT' }, claims, '')],
            ]),
          ),
        );
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
            const claims = decodeJwt(await idp());
            tokens[`${jwk.alg} as ${form}, ${alg}`] = forgedJwt({ alg, kid: jwk.kid }, claims, secret, hash);
          }
      }
      await tryAll(tokens);
    });

    it('is rejected when it is signed with the attacker’s key, named by any header field [SEC-077]', async () => {
      const { privateKey, jwk } = await generateAttackerKey();
      const [known] = platform.outside.providers.identity.jwks().keys as [JWK];
      const headers: Record<string, object> = {
        'known kid': { kid: known.kid },
        'embedded jwk': { jwk },
        'embedded jwk, known kid': { jwk, kid: known.kid },
        jku: { jku: trap.url, kid: 'theirs' },
        x5u: { x5u: trap.url, kid: 'theirs' },
        x5c: { x5c: [randomBytes(300).toString('base64')] },
        'kid is an address': { kid: trap.url },
        'unknown crit': { crit: ['exp'], kid: known.kid },
      };
      const claims = { ...decodeJwt(await idp()), email: 'admin@example.com' };
      const ours = { ...decodeJwt(ann.token) };
      for (const [attack, header] of Object.entries(headers)) {
        const signed = (payload: JWTPayload) =>
          new SignJWT(payload)
            .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...header })
            .sign(privateKey, { crit: { exp: false } })
            .catch(() => forgedJwt({ alg: 'RS256', ...header }, payload, randomBytes(32)));
        await tryAll({
          [attack]: await signed(claims),
          [`${attack}, as ours`]: await signed(ours),
          [`${attack}, HS256`]: forgedJwt({ ...HS256, ...header }, ours, JSON.stringify(jwk)),
        });
      }
      expect(trap.requests).toBe(0); // the platform fetches no keys from an attacker's URL
    });

    it('is rejected when its kid contains a path, URL or injection [SEC-100]', async () => {
      const claims = decodeJwt(await idp());
      for (const kid of INJECTED_KEY_IDS)
        await tryAll({
          [`${kid}, empty secret`]: forgedJwt({ ...HS256, kid }, decodeJwt(ann.token), ''),
          [`${kid}, secret of the injection`]: forgedJwt({ ...HS256, kid }, claims, 'secret'),
          [`${kid}, RS256`]: forgedJwt({ alg: 'RS256', kid }, claims, 'secret'),
        });
    });

    it('is rejected with a guessed secret, or with one changed bit in header, claims or signature [SEC-098]', async () => {
      const guesses = ['', 'secret', 'password', 'changeme', config().JWT_ISSUER, config().JWT_ADMIN_SECRET];
      const tokens = Object.fromEntries(
        guesses.map((guess, i) => [`secret ${i}`, forgedJwt(HS256, decodeJwt(ann.token), guess)]),
      );
      for (const [name, good] of [
        ['the platform’s', ann.token],
        ['the provider’s', await idp()],
      ] as const)
        for (const [place, text] of good.split('.').entries()) {
          const flipped = Buffer.from(text, 'base64url');
          flipped[10] = (flipped[10] as number) ^ 1;
          const parts = good.split('.');
          parts[place] = flipped.toString('base64url');
          tokens[`${name}: a bit of part ${place}`] = parts.join('.');
          parts[place] = '';
          tokens[`${name}: no part ${place}`] = parts.join('.');
        }
      await tryAll(tokens);
    });

    it('is rejected with a zero, truncated, doubled or differently encoded signature [SEC-114]', async () => {
      const [header, claims, signature] = ann.token.split('.') as [string, string, string];
      const options = { email: 'ann@example.org', algorithm: 'ES256' } as const;
      const es256 = await platform.outside.providers.identity.token(options);
      const zeroSignature = `${es256.slice(0, es256.lastIndexOf('.'))}.${Buffer.alloc(64).toString('base64url')}`;
      await tryAll({
        'ES256 of two zeros': zeroSignature,
        'no signature': `${header}.${claims}`,
        'half a signature': `${header}.${claims}.${signature.slice(0, 21)}`,
        'a signature twice': `${ann.token}.${signature}`,
        'the token twice': `${ann.token}.${ann.token}`,
        'an encrypted token': `${header}..${claims}.${signature}.${signature}`,
        'in braces': `{"payload":"${claims}","signature":"${signature}"}`,
        'b64 false': forgedJwt(
          { ...HS256, b64: false, crit: ['b64'] },
          decodeJwt(ann.token),
          config().JWT_USER_SECRET,
        ),
        'a null token': 'null',
        'all zeros': forgedJwt(HS256, decodeJwt(ann.token), Buffer.alloc(64)),
      });
    });

    it('is rejected at any length, and the service stays available', async () => {
      for (const kilobytes of [1, 4, 7])
        await tryAll({ [`${kilobytes} kB`]: forgedJwt(HS256, { x: 'x'.repeat(kilobytes * 750) }, 'secret') });
      const { status } = await sendRequest(`${platform.baseUrl}/api/auth/check`, {
        headers: { authorization: `Bearer ${'x'.repeat(100_000)}` },
      });
      attempts.record('100 kB', status < 400);
      expect(status).toBe(431);
      expect((await profile(ann.token)).status).toBe(200);
    });
  });

  describe('A token with a valid signature', () => {
    it('is rejected with claims that the platform never issues [SEC-102]', async () => {
      const wrong: Record<string, Record<string, unknown>> = {
        'an unknown issuer': { iss: 'others' },
        'our issuer in a list': { iss: [config().JWT_ISSUER] },
        'an unknown audience': { aud: 'others' },
        'the provider’s issuer and audience': { iss: config().IDP_ISSUER, aud: config().IDP_AUDIENCE },
        'type refresh': { type: 'refresh' },
        'type Admin': { type: 'Admin' },
        'type in a list': { type: ['user'] },
        'type admin': { type: 'admin', roles: ['admin'], permissions: ['*'] },
        'expired long ago': { exp: 1 },
        'expiry as text': { exp: '9999999999' },
        'no expiry': { exp: undefined },
        'expiry null': { exp: null },
        'not yet': { nbf: Math.floor(Date.now() / 1000) + 600 },
        'not-before as text': { nbf: 'tomorrow' },
        'no jti': { jti: undefined },
        'jti as a list': { jti: [decodeJwt(ann.token).jti] },
        'jti of SQL': { jti: "' or 1=1 --" },
        'jti of nobody': { jti: randomUUID() },
        'no sub': { sub: undefined },
        'no iat': { iat: undefined },
        'no type': { type: undefined },
      };
      for (const [attack, change] of Object.entries(wrong)) {
        const claims: object = { ...decodeJwt(ann.token), ...change };
        await tryAll({ [attack]: forgedJwt(HS256, claims, config().JWT_USER_SECRET) });
      }
      const longer = { alg: 'HS512', typ: 'JWT' };
      await tryAll({ HS512: forgedJwt(longer, decodeJwt(ann.token), config().JWT_USER_SECRET, 'sha512') });
      for (const claims of [
        '[]',
        '"text"',
        'null',
        '{',
        '{"type":"admin"}',
        '{"type":"user","type":"admin"}',
      ])
        await tryAll({ [`claims ${claims}`]: forgedJwt(HS256, claims, config().JWT_USER_SECRET) });
    });

    it('is rejected with the session of another user or of another token type [SEC-103]', async () => {
      const [eve, admin] = [await platform.given.user(), await platform.given.admin()];
      const { JWT_USER_SECRET: userSecret, JWT_ADMIN_SECRET: adminSecret } = config();
      const [anns, eves, admins] = [decodeJwt(ann.token), decodeJwt(eve.token), decodeJwt(admin.token)];
      await tryAll({
        'ann by the session of eve': forgedJwt(HS256, { ...anns, jti: eves.jti }, userSecret),
        'a user by the session of an admin': forgedJwt(HS256, { ...eves, jti: admins.jti }, userSecret),
        'an admin by the session of a user': forgedJwt(HS256, { ...admins, jti: eves.jti }, adminSecret),
        'a user id as an admin': forgedJwt(HS256, { ...admins, sub: ann.id }, adminSecret),
        'an admin id as a user': forgedJwt(HS256, { ...eves, sub: admins.sub }, userSecret),
      });
      expect((await profile(eve.token)).status).toBe(200); // the sessions themselves stay valid
    });

    it('of the platform is invalid as the identity provider’s, and the reverse [SEC-104]', async () => {
      expect((await login(ann.token)).code).toBe('SUPABASE_JWT_INVALID');
      expect((await profile(await idp())).code).toBe('TOKEN_INVALID');
    });
  });

  describe('A token of the identity provider', () => {
    const codeFor = async (claims: JWTPayload): Promise<string | undefined> => {
      const { status, code } = await login(await idp(claims));
      attempts.record(JSON.stringify(claims), status < 400);
      return code;
    };

    it.each([
      [{ iss: 'https://evil.example.com' }],
      [{ iss: '' }],
      [{ aud: 'another-application' }],
      [{ aud: [] }],
      [{ exp: 1 }],
      [{ exp: undefined }],
      [{ nbf: Math.floor(Date.now() / 1000) + 600 }],
    ] as [JWTPayload][])('is rejected with %j [SEC-105]', async (claims) => {
      expect(await codeFor(claims)).toBe('SUPABASE_JWT_INVALID');
    });

    it.each([
      ['a list', { email: ['ann@example.org', 'admin@example.com'] }, 'EMAIL_MANDATORY'],
      ['an object', { email: { $ne: null } }, 'EMAIL_MANDATORY'],
      ['a line break', { email: 'ann@example.org\nadmin@example.com' }, 'EMAIL_MANDATORY'],
      ['a space at its end', { email: 'admin@example.com ' }, 'EMAIL_MANDATORY'],
      ['two addresses', { email: 'eve@evil.example,ann@example.org' }, 'EMAIL_MANDATORY'],
      ['a NUL character', { email: 'admin@example.com\0' }, 'EMAIL_MANDATORY'],
      ['an unpaired surrogate', { email: 'ann\ud800@example.org' }, 'EMAIL_MANDATORY'],
      ['a letter with a different lower case', { email: 'mi\u212ae@example.org' }, 'EMAIL_MANDATORY'],
      ['a dotted capital I', { email: 'adm\u0130n@example.com' }, 'EMAIL_MANDATORY'],
      ['no email_verified claim', { email_verified: undefined }, 'EMAIL_NOT_VERIFIED'],
      ['email_verified as text', { email_verified: 'true' }, 'EMAIL_NOT_VERIFIED'],
      [
        'verified only in user_metadata',
        { email_verified: false, user_metadata: { email_verified: true } },
        'EMAIL_NOT_VERIFIED',
      ],
    ] as [string, JWTPayload, string][])(
      'is rejected with %s in its e-mail claims [SEC-080]',
      async (_, claims, code) => {
        expect(await codeFor(claims)).toBe(code);
      },
    );

    it('grants no permissions by additional claims [SEC-106]', async () => {
      const claims = { role: 'admin', roles: ['admin'], permissions: ['*'], isAdmin: true, type: 'admin' };
      const { data } = await login(await idp({ ...claims, app_metadata: claims, sub: 'admin' }));
      expect(data.isAdmin).toBe(false);
      expect(decodeJwt(data.token)).toMatchObject({ type: 'user', sub: ann.id });
      expect(decodeJwt(data.token)).not.toHaveProperty('permissions');
      expect((await platform.as(data).get('/api/admin/users')).code).toBe('ADMIN_REQUIRED');
    });
  });

  it('none of the more than 180 tokens was accepted', () => {
    attempts.requireNone();
    expect(attempts.tried).toBeGreaterThan(180);
    recordGuarantee('G-24', `${attempts.tried} tokens at 8 ways in, let in ${attempts.successful.length}`);
  });
});
