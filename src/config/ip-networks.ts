import { BlockList, isIP, isIPv4 } from 'node:net';

// Not in src/common, which must not import `node:net`.

/** True for an IP network in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32. */
export function isIpNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(prefix) <= (version === 4 ? 32 : 128);
}

/** The addresses of all `networks`, each of which `isIpNetwork` accepts. */
export function ipNetworksOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split('/') as [string, string];
    list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}
