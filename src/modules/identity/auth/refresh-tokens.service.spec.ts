import { createHash } from 'node:crypto';
import { decryptSuccessor, encryptSuccessor } from './refresh-tokens.service.js';

describe('successor cipher', () => {
  const encrypted = encryptSuccessor('the-successor', 'the-spent-token');

  it('decrypts a successor with the spent token', () => {
    expect(decryptSuccessor(encrypted, 'the-spent-token')).toBe('the-successor');
  });

  it('does not decrypt with another token or with a hash of the spent token', () => {
    const hash = createHash('sha256').update('the-spent-token').digest('base64url');
    for (const wrongToken of ['another-token', hash])
      expect(() => decryptSuccessor(encrypted, wrongToken)).toThrow();
  });

  it('rejects a modified ciphertext', () => {
    const modified = Buffer.from(encrypted);
    modified[modified.length - 1] = (modified.at(-1) as number) ^ 1;
    expect(() => decryptSuccessor(modified, 'the-spent-token')).toThrow();
  });

  it('encrypts the same successor differently each time, and the result does not contain it', () => {
    expect(encryptSuccessor('the-successor', 'the-spent-token')).not.toEqual(encrypted);
    expect(encrypted.toString('latin1')).not.toContain('the-successor');
  });
});
