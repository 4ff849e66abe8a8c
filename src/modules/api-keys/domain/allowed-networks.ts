import { BlockList, isIPv4, isIPv6 } from 'node:net';

const NETWORK = /^([0-9a-fA-F.:]+)\/(0|[1-9]\d{0,2})$/;
const IPV4_BITS = 32;
const IPV6_BITS = 128;
/** Callers with a mapped IPv4 address are compared as IPv4 addresses, so that such a network would permit no caller. */
const MAPPED_IPV4 = /^(0{0,4}:){1,5}(:|0{1,4}:)?ffff:/i;

/** True for a network in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32. */
export function isNetwork(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  const [, address = '', prefix] = NETWORK.exec(text) ?? [];
  if (isIPv4(address)) return Number(prefix) <= IPV4_BITS;
  return isIPv6(address) && Number(prefix) <= IPV6_BITS && !MAPPED_IPV4.test(address);
}

/** Takes texts that `isNetwork` accepts. */
export function addressesOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split('/') as [string, string];
    list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Takes a canonical address. An unknown address is in no network. */
export function containsAddress(networks: BlockList, address: string | undefined): boolean {
  return address !== undefined && networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
