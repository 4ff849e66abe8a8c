import {
  type Bytes,
  demand,
  fromBase64,
  requireShape,
  sha256,
  toBase64Url,
  toHex,
  utf8,
} from './encoding.js';

// The public keys of a log, as lines in the format of C2SP signed-note and as a key set (RFC 7517).

export const KEY_ID_BYTES = 4;
export const KEY_BYTES = 32;
const ED25519 = Uint8Array.of(1);

/** A parsed line of `GET /api/proofs/key`. */
export interface VerifierKey {
  readonly name: string;
  readonly id: string;
  readonly key: Bytes;
}

/** Parses the lines of `GET /api/proofs/key`. */
export async function verifiersOf(keys: string): Promise<VerifierKey[]> {
  requireShape(keys, 'string', 'keys');
  return Promise.all(keys.trim().split('\n').map(verifierOf));
}

async function verifierOf(line: string): Promise<VerifierKey> {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(line) ?? [];
  demand(name !== undefined && id !== undefined && encoded !== undefined, 'A verifier key is malformed.');
  const typed = fromBase64(encoded, ED25519.length + KEY_BYTES);
  demand(typed[0] === ED25519[0], 'A verifier key is not an Ed25519 key.');
  const computed = (await sha256(utf8(`${name}\n`), typed)).subarray(0, KEY_ID_BYTES);
  demand(toHex(computed) === id, 'The id of a verifier key does not match its name and key.');
  return { name, id, key: typed.slice(1) };
}

/** The answer of `GET /.well-known/jwks.json`. */
export interface Jwks {
  readonly keys: readonly { readonly kty: string; readonly crv?: string; readonly x?: string }[];
}

export function jwksOf(keys: readonly VerifierKey[]): Jwks {
  return { keys: keys.map(({ key }) => ({ kty: 'OKP', crv: 'Ed25519', x: toBase64Url(key) })) };
}
