import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';

/**
 * The key under which requests without a valid token are counted. A caller with an IPv6 connection has 2⁶⁴ addresses, so
 * its /64 network is counted. All spellings of an IPv4 address count as one. If a proxy forwards a text that is no
 * address, the address of the proxy is counted.
 */
export function callerAddress({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string {
  return counted(ip ?? '') ?? counted(socket.remoteAddress ?? '') ?? 'unknown';
}

function counted(text: string): string | undefined {
  const address = withoutPort(text);
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return undefined;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6).map((group) => parseInt(group, 16));
  if (groups.slice(0, 6).join(':') === MAPPED) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${groups.slice(0, 4).join(':')}::/64`;
}

const MAPPED = '0:0:0:0:0:ffff'; // then an IPv4 address

/** Some proxies forward `192.0.2.1:4711` or `[2001:db8::1]:4711`: a caller chooses its ports. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^\[([^\]]+)\](?::\d+)?$|^([^:]+):\d+$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

/** The eight groups of an IPv6 address, however it is written; a URL spells it one way only. */
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);
  const [start = [], end = []] = canonical.split('::').map((part) => part.split(':').filter(Boolean));
  return [...start, ...Array<string>(8 - start.length - end.length).fill('0'), ...end];
}
