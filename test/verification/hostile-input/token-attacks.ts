import { createHmac, sign, type KeyObject } from 'node:crypto';

/** Counts attacks, for the figure of a guarantee, and records the successful ones. */
export class AttackLog {
  tried = 0;
  readonly successful: string[] = [];

  record(attack: string, hasSucceeded: boolean): void {
    this.tried++;
    if (hasSucceeded) this.successful.push(attack);
  }

  /** Fails the test with the names of the successful attacks. */
  requireNoneSuccessful(): void {
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

/** A JWT with any header and claims, signed with the RSA key. */
export function signedJwt(header: object, claims: object, privateKey: KeyObject): string {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
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
    /** Dates that were created before the shift are instances, too. */
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

/** Values of `alg`: spellings of `none`, and malformed values. Some have bypassed the verification of JWT libraries. */
export const INVALID_ALGORITHMS = [
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
/** Key ids that do harm where they are used unchecked: in a path, a URL, SQL, a shell command or as the name of a property. */
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
