import type { Socket } from 'node:net';
import { callerAddress, networkPrefixOf } from './caller-address.js';

const keyOf = (ip: string | undefined, remoteAddress = '192.0.2.9') =>
  callerAddress({ ip, socket: { remoteAddress } as Socket });

describe('callerAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:0000:0000:0000:0003', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:4711', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('counts %s as %s [SEC-131]', (ip, key) => {
    expect(keyOf(ip)).toBe(key);
  });

  it.each(['unknown', '_hidden', '', '1.2.3', '999.1.1.1', "'; drop table", '::g', undefined])(
    'counts by the address of the proxy if the proxy forwards %j',
    (ip) => {
      expect(keyOf(ip)).toBe('192.0.2.9');
    },
  );
});

describe('networkPrefixOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['0.0.0.0', '0.0.0.0/24'],
    ['2001:db8:1:2::1', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8::/48'],
    ['2001:0:0:1::1', '2001::/48'],
    ['::1', '::/48'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, prefix) => {
    expect(networkPrefixOf(address)).toBe(prefix);
  });
});
