import { createHash } from 'node:crypto';
import { decryptSuccessor, encryptSuccessor } from './successor-cipher.js';

describe('the successor of a refresh token', () => {
  const sealed = encryptSuccessor('the-successor', 'the-spent-token');

  it('is decrypted by the spent token', () => {
    expect(decryptSuccessor(sealed, 'the-spent-token')).toBe('the-successor');
  });

  it('is decrypted neither by another token nor by the hash that the database holds', () => {
    const hash = createHash('sha256').update('the-spent-token').digest('base64url');
    for (const other of ['another-token', hash]) expect(() => decryptSuccessor(sealed, other)).toThrow();
  });

  it('is refused when it was changed', () => {
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
    expect(() => decryptSuccessor(changed, 'the-spent-token')).toThrow();
  });

  it('is encrypted differently each time, and nowhere in the clear', () => {
    expect(encryptSuccessor('the-successor', 'the-spent-token')).not.toEqual(sealed);
    expect(sealed.toString('latin1')).not.toContain('the-successor');
  });
});
