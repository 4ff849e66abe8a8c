import { isIPv4, isIPv6 } from 'node:net';
import { ipNetworksOf } from '../../../../config/ip-networks.js';

// Public addresses, according to IANA's registries of special-purpose addresses.

const NOT_PUBLIC_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

/** Global unicast. Excludes IPv4-mapped and NAT64 addresses, which embed an IPv4 address. */
const PUBLIC_V6 = '2000::/3';
const NOT_PUBLIC_V6 = [
  '2001::/23', // IETF protocol assignments, among them Teredo, which embeds IPv4 addresses
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: embeds IPv4 addresses
  '3fff::/20', // documentation
];

const notPublic = ipNetworksOf([...NOT_PUBLIC_V4, ...NOT_PUBLIC_V6]);
const publicV6 = ipNetworksOf([PUBLIC_V6]);

/** Expects the canonical form of an address, as `URL` and DNS give it. False for a text that is no IP address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4');
  return isIPv6(address) && publicV6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}
