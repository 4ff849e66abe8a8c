import { createHmac, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type CryptoKey, type JWK } from 'jose';
import type { TestPlatform } from '../../harness/platform.js';

/** Counts attacks and records the successful ones, for the figure of a guarantee. */
export class AttackLog {
  tried = 0;
  readonly successful: string[] = [];

  /** Records an attack; `isIn` states whether it succeeded. */
  record(attack: string, isIn: boolean): void {
    this.tried++;
    if (isIn) this.successful.push(attack);
  }

  /** Sends each token to every kind of authentication; records those that any accepts. */
  async tokens(platform: TestPlatform, tokens: Record<string, string>): Promise<void> {
    for (const [attack, token] of Object.entries(tokens))
      this.record(attack, await isAcceptedAnywhere(platform, token));
    this.requireNone();
  }

  /** Fails the test with the names of the successful attacks. */
  requireNone(): void {
    expect(this.successful).toEqual([]);
  }
}

const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWT with any header, claims and HMAC key; without a key it has no signature. */
export function forgedJwt(
  header: object | string,
  claims: object | string,
  key?: string | Buffer,
  hash: 'sha256' | 'sha512' = 'sha256',
): string {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${key === undefined ? '' : createHmac(hash, key).update(signed).digest('base64url')}`;
}

/** Runs `work` with the clock of this process shifted by `shiftMs`. */
export async function withShiftedClock<T>(shiftMs: number, work: () => Promise<T>): Promise<T> {
  const Real = Date;
  class Shifted extends Real {
    constructor(...parts: unknown[]) {
      if (parts.length === 0) super(Real.now() + shiftMs);
      else super(...(parts as [number]));
    }
    static override now(): number {
      return Real.now() + shiftMs;
    }
    static override [Symbol.hasInstance](value: unknown): boolean {
      return Object.prototype.toString.call(value) === '[object Date]';
    }
  }
  globalThis.Date = Shifted as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = Real;
  }
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Whether any kind of authentication accepts the token. */
export async function isAcceptedAnywhere(platform: TestPlatform, token: string): Promise<boolean> {
  const cookie = { headers: { cookie: `session=${token}; admin-session=${token}` } };
  const replies = await Promise.all([
    platform.as({ token }).get('/api/auth/user/profile'),
    platform.as({ token }).get('/api/auth/check'),
    platform.as({ token }).get('/api/admin/auth/verify'),
    platform.as(null).get('/api/auth/cookie/verify', cookie),
    platform.as(null).get('/api/auth/cookie/admin/verify', cookie),
    platform.as({ token }).post('/api/auth/idp/login'),
    platform.as(null).post('/api/auth/refresh', { refreshToken: token.slice(0, 200) || '-' }),
  ]);
  const valid = await platform
    .as(null)
    .post('/api/auth/validate-token', { token: token.slice(0, 8000) || '-' });
  return valid.data?.valid === true || replies.some(({ status }) => status < 400);
}

/** Spellings of the algorithm `none` that have bypassed verification elsewhere. */
export const NONE_ALGORITHMS = [
  'none',
  'None',
  'NONE',
  'nOnE',
  ' none',
  'none ',
  '',
  null,
  'HS256\0',
  ['HS256'],
];
/** Key ids that would cause an injection if they were used in a path, a query or a URL. */
export const INJECTED_KEY_IDS = [
  '../../../../dev/null',
  '/dev/null',
  'file:///dev/null',
  "x' union select 'secret' --",
  "1'; drop table session; --",
  '__proto__',
  'constructor',
  '',
  '| cat /etc/passwd',
  'a'.repeat(4000),
];

/** An attacker's key pair: private key and public JWK. */
export async function generateAttackerKey(): Promise<{ privateKey: CryptoKey; jwk: JWK }> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey: privateKey as unknown as CryptoKey, jwk: await exportJWK(publicKey) };
}

/** An attacker's JWKS server; counts the requests of services that follow a token's header. */
export class KeyServer {
  requests = 0;
  private server!: Server;

  static async start(): Promise<KeyServer> {
    const trap = new KeyServer();
    const { jwk } = await generateAttackerKey();
    trap.server = createServer((_request, response) => {
      trap.requests++;
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'theirs', alg: 'RS256', use: 'sig' }] }));
    });
    await new Promise<void>((resolve) => trap.server.listen(0, '127.0.0.1', resolve));
    return trap;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/jwks.json`;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }
}
