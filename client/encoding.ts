// Bytes, hashes, signatures, canonical JSON and the shapes of JSON values for the verifiers. Uses WebCrypto and no packages.

export type Bytes = Uint8Array<ArrayBuffer>;

/** A proof that does not hold, or a value of another shape; the message says why. */
export class ProofError extends Error {}

/** Throws a ProofError with the problem unless the condition holds. */
export function demand(condition: unknown, problem: string): asserts condition {
  if (!condition) throw new ProofError(problem);
}

export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let length = 0;
  for (const part of parts) {
    all.set(part, length);
    length += part.length;
  }
  return all;
}

export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

export async function sha256(...parts: readonly Uint8Array[]): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', concat(...parts)));
}

/** Verifies an Ed25519 signature. Returns false for bytes that are not a public key, too. */
export async function hasSigned(publicKey: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, signature, message);
  } catch (error) {
    if (error instanceof Error && error.name === 'DataError') return false;
    throw error; // for example in a runtime without Ed25519, which says nothing about the signature
  }
}

/** Strict: each value has exactly one text, so that a changed character never decodes to the same bytes. */
export function fromBase64(text: string, length?: number): Bytes {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new ProofError('A value is not base64.');
  }
  demand(btoa(binary) === text, 'A value is not canonical base64.');
  demand(length === undefined || binary.length === length, `A value does not have ${length} bytes.`);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Without padding, as in JWS. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export function fromBase64Url(text: string, length: number): Bytes {
  demand(/^[\w-]*$/.test(text), 'A value is not base64url.');
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  return fromBase64(standard.padEnd(4 * Math.ceil(text.length / 4), '='), length);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An unsigned number as big-endian bytes. */
export function unsigned(value: bigint, length: number): Bytes {
  demand(value >= 0n && value < 1n << BigInt(8 * length), 'A number is negative or too large.');
  return Uint8Array.from({ length }, (_, at) => Number((value >> BigInt(8 * (length - 1 - at))) & 0xffn));
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

const MAX_DEPTH = 32;

/** The canonical text of a value (RFC 8785). */
export function canonicalJson(value: Json, depth = 0): string {
  demand(depth <= MAX_DEPTH, 'JSON is nested too deeply.');
  if (typeof value === 'string') return canonicalString(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item, depth + 1)).join(',')}]`;
  const object = value as { readonly [member: string]: Json };
  const members = Object.keys(object)
    .sort()
    .map((name) => `${canonicalString(name)}:${canonicalJson(object[name] as Json, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** Throws unless the text is canonical, so that it has one meaning in every parser. */
export function parseCanonicalJson(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new ProofError('The text is not JSON.');
  }
  // Proves most texts canonical without writing them member by member, which takes several times as long. A text with
  // `\ud` may contain half of a surrogate pair, which JSON.stringify accepts and `canonicalJson` refuses.
  const isPlain = !text.includes('\\ud') && JSON.stringify(value) === text && isSorted(value);
  demand(isPlain || canonicalJson(value) === text, 'The text is not canonical JSON.');
  return value;
}

/** True if the members of each object are in canonical order. False if the value is nested too deeply. */
function isSorted(value: Json, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every((item: Json) => isSorted(item, depth + 1));
  let last: string | undefined;
  for (const [name, member] of Object.entries(value as { readonly [member: string]: Json })) {
    if ((last !== undefined && name <= last) || !isSorted(member, depth + 1)) return false;
    last = name;
  }
  return true;
}

function canonicalString(text: string): string {
  demand(!/\p{Surrogate}/u.test(text), 'A text contains half of a surrogate pair.');
  return JSON.stringify(text);
}

// Callers read proofs from JSON. A value of another shape is a proof that does not hold, not a TypeError.

/** A text or a number, a list by the shape of its items, or an object by the shapes of its members. */
export type Shape = 'string' | 'number' | readonly [Shape] | { readonly [member: string]: Shape };

/** Throws unless `value` has the shape. An object may have other members, too. */
export function requireShape(value: unknown, shape: Shape, name: string): void {
  if (typeof shape === 'string') {
    demand(typeof value === shape, `${name} is not a ${shape}.`);
  } else if (isListShape(shape)) {
    demand(Array.isArray(value), `${name} is not a list.`);
    for (const [at, item] of value.entries()) requireShape(item, shape[0], `${name}[${at}]`);
  } else {
    demand(typeof value === 'object' && value !== null, `${name} is not an object.`);
    for (const [member, inner] of Object.entries(shape))
      requireShape((value as Readonly<Record<string, unknown>>)[member], inner, `${name}.${member}`);
  }
}

function isListShape(shape: Exclude<Shape, string>): shape is readonly [Shape] {
  return Array.isArray(shape);
}
