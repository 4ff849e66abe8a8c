import { createHmac } from 'node:crypto';
import { Controller, Get, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Strategy, type SecretOrKeyProvider } from 'passport-jwt';
import { AppConfig } from '../../../config/app-config.js';
import { ApiKeyUses } from '../../../http/auth/api-key-uses.js';
import { AuthenticationGuard } from '../../../http/auth/authentication.guard.js';
import { AuthorizationGuard } from '../../../http/auth/authorization.guard.js';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { PublicRoute, UserRoute } from '../../../http/auth/route.js';
import { SessionCookies } from '../../../http/auth/session-cookies.js';
import { ApplicationStrategy } from '../../../http/auth/strategies.js';
import { KnownCredentials } from '../../../http/auth/known-credentials.js';
import { VerifiedTokens } from '../../../http/auth/verified-tokens.js';
import { ErrorFilter } from '../../../http/response/error.filter.js';
import { Clock, SystemClock } from '../../../common/clock.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { Meters } from '../../../observability/meters.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import { BearerStrategy } from './auth.strategy.js';
import { PrincipalsService } from './principals.service.js';
import type { Claims } from './auth.types.js';
import { TokensService } from './tokens.service.js';

const SECRETS = ['6f1d0c9b8a7e5d4c3b2a19080f7e6d5c', 'a0b1c2d3e4f5061728394a5b6c7d8e9f'] as const;
const ISSUER = 'the platform';

@Controller()
class TestController {
  @Get('mine')
  @UserRoute({ summary: 'The id of the caller' })
  mine(@CurrentUser() { id }: UserPrincipal): string {
    return id;
  }

  @Get('either')
  @PublicRoute({ summary: 'A token is optional', optional: true })
  either(): string {
    return 'with or without a token';
  }
}

const configWith = (secret: string) =>
  new AppConfig({
    JWT_ISSUER: ISSUER,
    JWT_USER_SECRET: secret,
    JWT_ADMIN_SECRET: 'c3d4e5f60718293a4b5c6d7e8f9a0b1c',
  } as AppConfig);

/** The users whose sessions are revoked: a substitute for the sessions in the database. */
const revokedUsers = new Set<string>();

/** Starts an application without a database, with the real guards and, unless `bearer` is given, the real strategy. */
async function start(secret: string, bearer: Type<object> = BearerStrategy): Promise<NestExpressApplication> {
  const getPrincipal = async ({ sub }: Claims) => {
    if (revokedUsers.has(sub)) throw new DomainError('TOKEN_INVALID');
    return { type: 'user', id: sub };
  };
  @Module({
    controllers: [TestController],
    providers: [
      { provide: AppConfig, useValue: configWith(secret) },
      { provide: Clock, useClass: SystemClock },
      { provide: SecondSecrets, useValue: new SecondSecrets(new Meters()) },
      { provide: PrincipalsService, useValue: { getPrincipal } },
      TokensService,
      SessionCookies,
      KnownCredentials,
      VerifiedTokens,
      ApiKeyUses,
      { provide: 'bearer', useClass: bearer },
      { provide: APP_GUARD, useClass: AuthenticationGuard },
      { provide: APP_GUARD, useClass: AuthorizationGuard },
      { provide: APP_FILTER, useClass: ErrorFilter },
    ],
  })
  class TestModule {}
  const app = await NestFactory.create<NestExpressApplication>(TestModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

/** Returns the body of a successful response, otherwise the status and the error code. */
async function request(app: NestExpressApplication, token: string, path = 'mine'): Promise<string> {
  const reply = await fetch(`${await app.getUrl()}/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await reply.text();
  return reply.ok ? text : `${reply.status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`;
}

const now = Math.floor(Date.now() / 1000);
const CLAIMS = {
  sub: 'ann',
  email: 'ann@example.org',
  type: 'user',
  jti: 'a session',
  iat: now,
  exp: now + 3600,
  iss: ISSUER,
  aud: ISSUER,
};

/** A correctly signed token; `changes` and `header` replace its claims and header fields. */
function signedToken(
  changes: object,
  header: object = {},
  secret: string = SECRETS[0],
  hash = 'sha256',
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: 'HS256', typ: 'JWT', ...header })}.${part({ ...CLAIMS, ...changes })}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}

describe('BearerStrategy', () => {
  let app: NestExpressApplication;
  let appWithOtherSecret: NestExpressApplication;

  beforeAll(async () => {
    app = await start(SECRETS[0]);
    appWithOtherSecret = await start(SECRETS[1]); // registers its strategy in Passport under the same name
  });
  afterAll(async () => {
    await app.close();
    await appWithOtherSecret.close();
  });

  it('accepts a token with all required claims', async () => {
    expect(await request(app, signedToken({}))).toBe('ann');
  });

  it('checks the session at each request, and rejects another signature of a token that it has verified', async () => {
    const token = signedToken({ sub: 'bob' });
    const [signature] = token.split('.').slice(2) as [string];
    expect([await request(app, token), await request(app, token)]).toEqual(['bob', 'bob']);
    expect(await request(app, token.replace(signature, signature.toLowerCase()))).toBe('401 TOKEN_INVALID');
    revokedUsers.add('bob');
    expect(await request(app, token)).toBe('401 TOKEN_INVALID');
    revokedUsers.delete('bob');
    expect(await request(app, token)).toBe('bob');
  });

  it('rejects HS384 and HS512', async () => {
    for (const bits of [384, 512]) {
      const token = signedToken({}, { alg: `HS${bits}` }, SECRETS[0], `sha${bits}`);
      expect(await request(app, token)).toBe('401 TOKEN_INVALID');
    }
  });

  it.each(['sub', 'email', 'type', 'jti', 'iat', 'exp', 'iss', 'aud'])(
    'rejects a token without the claim %s',
    async (claim) => {
      expect(await request(app, signedToken({ [claim]: undefined }))).toBe('401 TOKEN_INVALID');
    },
  );

  it.each([{ iat: 'now' }, { exp: `${now + 3600}` }, { exp: null }, { iss: 'others' }, { aud: 'others' }])(
    'rejects a token with the invalid claim %j',
    async (changes) => {
      expect(await request(app, signedToken(changes))).toBe('401 TOKEN_INVALID');
    },
  );

  it('rejects a token with a crit header', async () => {
    for (const crit of [['exp'], ['b64'], [], null])
      expect(await request(app, signedToken({}, { crit }))).toBe('401 TOKEN_INVALID');
  });

  it('answers TOKEN_EXPIRED for an expired token', async () => {
    expect(await request(app, signedToken({ exp: now - 1 }))).toBe('401 TOKEN_EXPIRED');
  });

  it('verifies with the keys of the application that received the request', async () => {
    const token = signedToken({}, {}, SECRETS[1]);
    expect(await request(app, token)).toBe('401 TOKEN_INVALID');
    expect(await request(appWithOtherSecret, token)).toBe('ann');
    expect(await request(appWithOtherSecret, signedToken({}))).toBe('401 TOKEN_INVALID');
  });

  it('finds the right principal for each of many concurrent requests', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `user ${i}`);
    expect(await Promise.all(names.map((sub) => request(app, signedToken({ sub }))))).toEqual(names);
  });
});

describe('An error of the key provider', () => {
  const strategyFailingWith = (error: unknown) =>
    class extends ApplicationStrategy(Strategy, 'bearer') {
      constructor() {
        const secretOrKeyProvider: SecretOrKeyProvider = (_request, _token, done) => done(error);
        super({ jwtFromRequest: () => 'a.b.c', secretOrKeyProvider });
      }
      validate(): never {
        throw new Error('validate must not run without a key');
      }
    };

  it.each([
    ['with the code SERVICE_UNAVAILABLE', '503 SERVICE_UNAVAILABLE', new DomainError('SERVICE_UNAVAILABLE')],
    ['without a code', '500 INTERNAL_SERVER_ERROR', new Error('the key store hung up')],
    ['with the code TOKEN_INVALID', '401 TOKEN_INVALID', new DomainError('TOKEN_INVALID')],
  ])('%s leads to the response %s', async (_, answer, error) => {
    const app = await start(SECRETS[0], strategyFailingWith(error));
    expect(await request(app, 'a.b.c')).toBe(answer);
    // A route with an optional token ignores an invalid token, but no other failure.
    const isInvalidToken = answer.startsWith('401');
    expect(await request(app, 'a.b.c', 'either')).toBe(isInvalidToken ? 'with or without a token' : answer);
    await app.close();
  });
});
