import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { canonicalJson, type JsonValue } from './canonical-json.js';
import { Money } from './money.js';

/** A column of a sealed row, as its entity has it. */
export type SealedValue = null | undefined | string | Buffer | Date | Money | readonly string[] | JsonValue;

interface Keys {
  readonly lookUp: KeyObject;
  readonly seal: KeyObject;
}

/**
 * The keys under which the database holds credentials, derived from TOKEN_HASH_KEY and the values of TOKEN_HASH_KEY_ALSO.
 * A token is stored as HMAC-SHA-256(key of look-ups, SHA-256(token)). A row that opens something, such as a session, carries a seal:
 * HMAC-SHA-256(key of seals, RFC 8785 JSON of its table and of each sealed column with its name). An attacker who can write the table
 * and has no key can therefore neither write a row that opens anything, nor change one, nor exchange the seals of two rows.
 */
export class CredentialKeys {
  private readonly keys: readonly Keys[];

  /** New rows are written under the first key; rows under any of them are accepted. */
  constructor(secrets: readonly [string, ...string[]]) {
    this.keys = secrets.map((secret) => ({
      lookUp: deriveKey(secret, 'look-up of tokens'),
      seal: deriveKey(secret, 'seals of rows'),
    }));
  }

  /** What the database holds in place of a new token. */
  hashOf(token: string): Buffer {
    return this.hashOfDigest(sha256(token));
  }

  /** What the database may hold in place of a token, the form under the first key first. */
  hashesOf(token: string): Buffer[] {
    const digest = sha256(token);
    return this.keys.map(({ lookUp }) => hmac(lookUp, digest));
  }

  /** `hashOf` for a token of which only its SHA-256 is known: earlier versions stored that. */
  hashOfDigest(digest: Buffer): Buffer {
    return hmac(this.first.lookUp, digest);
  }

  /** The seal of a row of `table` with these columns. */
  sealOf(table: string, columns: Readonly<Record<string, SealedValue>>): Buffer {
    return hmac(this.first.seal, messageOf(table, columns));
  }

  /** The index of the key under which `seal` is the seal of the row; -1 if it is not. Compares in constant time. */
  findKey(table: string, columns: Readonly<Record<string, SealedValue>>, seal: Buffer | null): number {
    if (!seal) return -1;
    const message = messageOf(table, columns);
    return this.keys.findIndex((key) => {
      const expected = hmac(key.seal, message);
      return seal.length === expected.length && timingSafeEqual(seal, expected);
    });
  }

  private get first(): Keys {
    return this.keys[0] as Keys;
  }
}

function messageOf(table: string, columns: Readonly<Record<string, SealedValue>>): string {
  const values = Object.entries(columns).map(([name, value]) => [name, plainValueOf(value)] as const);
  return canonicalJson([table, Object.fromEntries(values)]);
}

/** Times are sealed to the millisecond, as the driver reads them. */
function plainValueOf(value: SealedValue): JsonValue {
  if (value === undefined || value === null) return null;
  if (value instanceof Money) return value.toString();
  if (Buffer.isBuffer(value)) return { bytes: value.toString('hex') };
  if (value instanceof Date) return { milliseconds: String(value.getTime()) };
  // Only a forged row has such a number, for instance the time `infinity` as the driver reads it. JSON has no text for it.
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  return value as JsonValue;
}

function deriveKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
}

function hmac(key: KeyObject, data: Buffer | string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
