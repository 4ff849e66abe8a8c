import { createHash } from 'node:crypto';
import { ipNetworksOf } from '../../../../config/ip-networks.js';
import {
  containsAddress,
  isAllowedNetwork,
  isWellFormedApiKey,
  newApiKey,
  prefixOfApiKey,
} from './api-key.js';

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

describe('isAllowedNetwork', () => {
  it.each(['0.0.0.0/0', '203.0.113.7/32', '10.0.0.0/8', '::/0', '2001:db8::/32', '2001:DB8::1/128'])(
    'accepts %s',
    (text) => expect(isAllowedNetwork(text)).toBe(true),
  );

  it.each([
    '203.0.113.7',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/08',
    '203.0.113.0/',
    '203.0.113/24',
    '2001:db8::',
    '2001:db8::/129',
    'fe80::1%eth0/64',
    '::ffff:10.0.0.0/104',
    '0:0:0:0:0:ffff:a00:0/104',
    '',
    '/24',
    'localhost/8',
    '10.0.0.0/8 ',
    ' 10.0.0.0/8',
    '10.0.0.0/8\n',
    '10.0.0.0/8/8',
    '١٠.0.0.0/8',
    undefined,
    null,
    7,
    {},
    ['10.0.0.0/8'],
  ])('refuses %j', (text) => expect(isAllowedNetwork(text)).toBe(false));
});

describe('containsAddress', () => {
  const allowed = ipNetworksOf(['203.0.113.0/24', '198.51.100.7/32', '2001:db8:1::/48']);

  it.each([
    ['203.0.113.0', true],
    ['203.0.113.255', true],
    ['203.0.114.0', false],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8:1:ffff::1', true],
    ['2001:db8:2::1', false],
    [undefined, false],
  ])('tells whether the allowed networks contain %s: %p', (address, contained) =>
    expect(containsAddress(allowed, address)).toBe(contained),
  );

  it('ignores the host bits of a network such as 192.168.1.17/24', () => {
    expect(containsAddress(ipNetworksOf(['192.168.1.17/24']), '192.168.1.99')).toBe(true);
  });
});
