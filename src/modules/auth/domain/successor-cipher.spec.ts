import { createHash } from 'node:crypto';
import { decryptSuccessor, encryptSuccessor } from './successor-cipher.js';

describe('successor cipher', () => {
  const sealed = encryptSuccessor('the-successor', 'the-spent-token');

  it('decrypts a successor with the spent token', () => {
    expect(decryptSuccessor(sealed, 'the-spent-token')).toBe('the-successor');
  });

  it('does not decrypt with another token or with the hash that the database holds', () => {
    const hash = createHash('sha256').update('the-spent-token').digest('base64url');
    for (const wrongToken of ['another-token', hash])
      expect(() => decryptSuccessor(sealed, wrongToken)).toThrow();
  });

  it('rejects a modified ciphertext', () => {
    const modified = Buffer.from(sealed);
    modified[modified.length - 1] = (modified.at(-1) as number) ^ 1;
    expect(() => decryptSuccessor(modified, 'the-spent-token')).toThrow();
  });

  it('encrypts the same successor differently each time and without its clear text', () => {
    expect(encryptSuccessor('the-successor', 'the-spent-token')).not.toEqual(sealed);
    expect(sealed.toString('latin1')).not.toContain('the-successor');
  });
});
