import { createHash } from 'node:crypto';
import { isWellFormedApiKey, newApiKey, prefixOfApiKey } from './api-key-format.js';

describe('An API key', () => {
  it('consists of sk_, 43 random characters, and the first 6 characters of the SHA-256 of both', () => {
    const key = newApiKey();
    expect(key).toMatch(/^sk_[A-Za-z0-9_-]{49}$/);
    const digest = createHash('sha256').update(key.slice(0, 46)).digest('base64url');
    expect(key.slice(46)).toBe(digest.slice(0, 6));
    expect(Buffer.from(key.slice(3, 46), 'base64url')).toHaveLength(32);
    expect(isWellFormedApiKey(key)).toBe(true);
  });

  it('is different for each call of newApiKey', () => {
    expect(new Set(Array.from({ length: 100 }, newApiKey)).size).toBe(100);
  });

  it('is not well-formed after a change of any single character', () => {
    const key = newApiKey();
    for (let i = 0; i < key.length; i++) {
      const changed = key[i] === 'A' ? 'B' : 'A';
      expect([i, isWellFormedApiKey(key.slice(0, i) + changed + key.slice(i + 1))]).toEqual([i, false]);
    }
  });

  it.each([
    ['as an empty text', ''],
    ['as a prefix alone', 'sk_'],
    ['with a wrong checksum', `sk_${'A'.repeat(49)}`],
    ['after a space', ` ${newApiKey()}`],
    ['before a newline', `${newApiKey()}\n`],
    ['with an additional character', `${newApiKey()}A`],
  ])('is not well-formed %s', (_, text) => expect(isWellFormedApiKey(text)).toBe(false));

  it('is shown by its first 11 characters', () => {
    const key = newApiKey();
    expect(prefixOfApiKey(key)).toBe(key.slice(0, 11));
  });
});
