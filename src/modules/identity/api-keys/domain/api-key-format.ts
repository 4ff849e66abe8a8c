import { createHash, randomBytes } from 'node:crypto';
import { API_KEY_MARK } from '../../../../http/auth/api-key-scopes.js';

// An API key: sk_, base64url of 32 random bytes, and a checksum. Programs that search texts for secrets recognise keys by this
// format, and the service refuses mistyped keys without a query.

const RANDOM_BYTES = 32;
const CHECKSUM_LENGTH = 6;
/** 43 random characters and the checksum follow `sk_`. */
const FORM = /^sk_[\w-]{49}$/;
/** `sk_` and eight random characters. */
const PREFIX_LENGTH = 11;

export function newApiKey(): string {
  const secret = API_KEY_MARK + randomBytes(RANDOM_BYTES).toString('base64url');
  return secret + checksumOf(secret);
}

/** True for a text with the form and the checksum of a key; the key need not exist. */
export function isWellFormedApiKey(text: string): boolean {
  return FORM.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The beginning of a key, by which its owner recognises it later. */
export function prefixOfApiKey(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

function checksumOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url').slice(0, CHECKSUM_LENGTH);
}
