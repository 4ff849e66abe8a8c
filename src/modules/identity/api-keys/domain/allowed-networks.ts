import { isIPv4, type BlockList } from 'node:net';
import { isIpNetwork } from '../../../../config/ip-networks.js';

const PREFIX_LENGTH_WITH_LEADING_ZERO = /\/0\d/;
/** A network of IPv4-mapped addresses. It would permit no caller, because such addresses are compared as IPv4 addresses. */
const MAPPED_IPV4 = /^(0{0,4}:){1,5}(:|0{1,4}:)?ffff:/i;

/** True for a network in CIDR notation to which a user can restrict a key. */
export function isAllowedNetwork(text: unknown): text is string {
  if (typeof text !== 'string' || !isIpNetwork(text)) return false;
  return !PREFIX_LENGTH_WITH_LEADING_ZERO.test(text) && !MAPPED_IPV4.test(text);
}

/** `address` is canonical (`networkAddress`). An unknown address is in no network. */
export function containsAddress(networks: BlockList, address: string | undefined): boolean {
  return address !== undefined && networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
