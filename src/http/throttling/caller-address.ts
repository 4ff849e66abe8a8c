import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';

/**
 * The key under which requests without a valid token are counted. A client with an IPv6 connection has 2⁶⁴ addresses, so the
 * key is its /64 network. All spellings of an IPv4 address give one key. If a proxy forwards a text that is no address, the
 * key is the address of the proxy.
 */
export function callerAddress(request: Pick<Request, 'ip' | 'socket'>): string {
  const address = networkAddress(request);
  return address === undefined ? 'unknown' : networkOf(address);
}

/** The IP address of the caller, or else of the proxy, in its canonical form; undefined if there is none. */
export function networkAddress({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string | undefined {
  return canonicalAddress(ip ?? '') ?? canonicalAddress(socket.remoteAddress ?? '');
}

/** An IPv4 address itself, or the /64 network of an IPv6 address. Takes canonical addresses. */
export function networkOf(address: string): string {
  return isIPv6(address) ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
}

/** The /24 network of an IPv4 address or the /48 network of an IPv6 address; any other text unchanged. */
export function networkPrefixOf(address: string): string {
  if (isIPv6(address)) return `${canonicalIPv6(`${groupsOf(address).slice(0, 3).join(':')}::`)}/48`;
  return isIPv4(address) ? `${address.slice(0, address.lastIndexOf('.'))}.0/24` : address;
}

/**
 * The address without port and zone, in the spelling of `URL`; an IPv4 address that is mapped into IPv6 becomes an IPv4
 * address. Undefined for a text that is no address.
 */
export function canonicalAddress(text: string): string | undefined {
  const address = withoutPort(text);
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return undefined;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6).map((group) => parseInt(group, 16));
  if (groups.slice(0, 6).join(':') === IPV4_MAPPED_PREFIX)
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return canonicalIPv6(address);
}

const IPV4_MAPPED_PREFIX = '0:0:0:0:0:ffff';

/** Some proxies forward `192.0.2.1:4711` or `[2001:db8::1]:4711`. A client can change its port at will. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^\[([^\]]+)\](?::\d+)?$|^([^:]+):\d+$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

/** The eight groups of an IPv6 address. `URL` normalises the spelling. */
function groupsOf(address: string): string[] {
  const [start = [], end = []] = canonicalIPv6(address)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  return [...start, ...Array<string>(8 - start.length - end.length).fill('0'), ...end];
}

function canonicalIPv6(address: string): string {
  return new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);
}
