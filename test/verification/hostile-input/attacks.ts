import { createHmac, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type CryptoKey, type JWK } from 'jose';
import type { TestPlatform } from '../../harness/platform.js';

/** What was tried, and what of it came through: the figure of a promise. */
export class Attempts {
  tried = 0;
  readonly letIn: string[] = [];

  /** Notes an attack; `isIn` says whether it had any success. */
  note(attack: string, isIn: boolean): void {
    this.tried++;
    if (isIn) this.letIn.push(attack);
  }

  /** Tries each token at every way in; fails the test with the names of those that opened anything. */
  async tokens(platform: TestPlatform, tokens: Record<string, string>): Promise<void> {
    for (const [attack, token] of Object.entries(tokens))
      this.note(attack, await opensAnything(platform, token));
    this.requireNone();
  }

  /** Fails the test with the names of what came through. */
  requireNone(): void {
    expect(this.letIn).toEqual([]);
  }
}

const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWT by hand: any header, any claims, HMAC by any key (none: without a signature). */
export function forged(
  header: object | string,
  claims: object | string,
  key?: string | Buffer,
  hash: 'sha256' | 'sha512' = 'sha256',
): string {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${key === undefined ? '' : createHmac(hash, key).update(signed).digest('base64url')}`;
}

/** Does something while this process thinks that it is so much later (or earlier); the clock goes on. */
export async function atAnotherTime<T>(shiftMs: number, work: () => Promise<T>): Promise<T> {
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

/** True when a token is worth anything at any of our ways in. */
export async function opensAnything(platform: TestPlatform, token: string): Promise<boolean> {
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

/** How `none` has been spelled to be let through. */
export const UNSIGNED = ['none', 'None', 'NONE', 'nOnE', ' none', 'none ', '', null, 'HS256\0', ['HS256']];
/** Names of keys that would lead elsewhere, were they used for a path, a query or an address. */
export const WRONG_KIDS = [
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

/** A key of an attacker's: to sign with, and as tokens carry it. */
export async function ownKey(): Promise<{ privateKey: CryptoKey; jwk: JWK }> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey: privateKey as unknown as CryptoKey, jwk: await exportJWK(publicKey) };
}

/** An attacker's server that offers keys to whoever follows a token's header there. */
export class KeyTrap {
  asked = 0;
  private server!: Server;

  static async start(): Promise<KeyTrap> {
    const trap = new KeyTrap();
    const { jwk } = await ownKey();
    trap.server = createServer((_request, response) => {
      trap.asked++;
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
