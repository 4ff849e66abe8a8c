import { createHash } from 'node:crypto';
import { CredentialKeys } from './credential-keys.js';

const KEY = 'first-key-0123456789-0123456789-01';
const OTHER = 'other-key-0123456789-0123456789-01';
const ROW = {
  id: 'a',
  scopes: ['read', 'write'],
  networks: null,
  hash: Buffer.from([1, 2]),
  at: new Date(1_000),
  input: { b: 1, a: { d: '2', c: null } },
};

describe('CredentialKeys', () => {
  const keys = new CredentialKeys([KEY]);
  const isSealed = (table: string, row: Record<string, any>, seal = keys.sealOf('key', ROW)) =>
    keys.findKey(table, row, seal) === 0;

  it('hashes a token under the key: neither the token nor its SHA-256 gives the hash', () => {
    const digest = createHash('sha256').update('token').digest();
    expect(keys.hashOf('token')).toHaveLength(32);
    expect(keys.hashOf('token')).toEqual(keys.hashOfDigest(digest));
    expect(keys.hashOf('token')).not.toEqual(digest);
    expect(keys.hashOf('token')).not.toEqual(new CredentialKeys([OTHER]).hashOf('token'));
  });

  it('recognises the seal of a row, whatever the order of its columns and of the members of JSON', () => {
    expect(isSealed('key', ROW)).toBe(true);
    const reversed = Object.fromEntries(Object.entries(ROW).reverse());
    expect(isSealed('key', { ...reversed, input: { a: { c: null, d: '2' }, b: 1 } })).toBe(true);
  });

  it.each([
    ['another id', { id: 'b' }],
    ['the boundary between two values moved', { id: 'are', scopes: ['ad', 'write'] }],
    ['one text in place of a list', { scopes: 'read,write' }],
    ['a list of one text', { scopes: ['read,write'] }],
    ['an empty list in place of null', { networks: [] }],
    ['the text null in place of null', { networks: 'null' }],
    ['bytes as text', { hash: '0102' }],
    ['bytes as the JSON that stands for them', { hash: { bytes: '0103' } }],
    ['a later time', { at: new Date(1_001) }],
    ['an invalid time', { at: new Date(NaN) }],
    ['an infinite time, as the driver reads it', { at: Infinity }],
    ['another member of JSON', { input: { b: 1, a: { d: '2', c: '' } } }],
    ['a further column', { more: null }],
  ])('refuses the seal for %s [SEC-416]', (_, change) => {
    expect(isSealed('key', { ...ROW, ...change })).toBe(false);
  });

  it('refuses the seal of a row of another table, one that is too short, and none', () => {
    expect(isSealed('session', ROW)).toBe(false);
    expect(isSealed('key', ROW, keys.sealOf('key', ROW).subarray(0, 16))).toBe(false);
    expect(isSealed('key', ROW, Buffer.alloc(0))).toBe(false);
    expect(keys.findKey('key', ROW, null)).toBe(-1);
  });

  it('accepts rows under an earlier key, writes them under the first, and refuses those of any other key', () => {
    const both = new CredentialKeys([OTHER, KEY]);
    expect(both.findKey('key', ROW, keys.sealOf('key', ROW))).toBe(1);
    expect(both.findKey('key', ROW, both.sealOf('key', ROW))).toBe(0);
    expect(both.sealOf('key', ROW)).toEqual(new CredentialKeys([OTHER]).sealOf('key', ROW));
    expect(both.hashesOf('token')).toEqual([both.hashOf('token'), keys.hashOf('token')]);
    expect(keys.findKey('key', ROW, both.sealOf('key', ROW))).toBe(-1);
  });
});
