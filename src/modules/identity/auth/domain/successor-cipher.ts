import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'successor of a refresh token';

/**
 * Encrypts a refresh token with the token that it replaces. The database stores only a hash of that token, so that a
 * reader of the database cannot decrypt the successor. Returns IV, authentication tag and ciphertext.
 */
export function encryptSuccessor(successor: string, spentToken: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(spentToken), iv);
  const ciphertext = Buffer.concat([cipher.update(successor, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Throws if `encrypted` was encrypted with another token or was modified. */
export function decryptSuccessor(encrypted: Buffer, spentToken: string): string {
  const decipher = createDecipheriv(ALGORITHM, keyOf(spentToken), encrypted.subarray(0, IV_BYTES));
  decipher.setAuthTag(encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const ciphertext = encrypted.subarray(IV_BYTES + TAG_BYTES);
  return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
}

function keyOf(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', PURPOSE, KEY_BYTES));
}
