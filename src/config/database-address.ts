import type { Reader } from './readers.js';
import { parsedUrl } from '../common/parsed-url.js';

/** The part before the hosts, the hosts, and the rest. */
const SEVERAL_HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)(.*)$/s;

/** The addresses of the single hosts of an address such as postgres://user@a:5432,b:5432/platform, which `URL` cannot parse. */
export function singleHostAddresses(address: string): string[] {
  const [, before, hosts, after] = SEVERAL_HOSTS.exec(address) ?? [];
  return hosts === undefined ? [address] : hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** A value such as read-only or standby, which prefers servers that refuse writes. */
const READ_ONLY_SESSION = /[?&]target_session_attrs=(?!(any|read-write|primary)(&|$))/;

/** The address of PostgreSQL, possibly with several hosts, of which the one is used that accepts writes. */
export const databaseAddress: Reader<string> = {
  expects:
    'an address that begins with postgres:// or postgresql://; several hosts are separated by commas, and target_session_attrs may be read-write, primary or any',
  read: (value) => {
    const addresses = singleHostAddresses(value);
    // A single address without a host is that of a socket.
    const isValid = (address: string) => {
      const { protocol, hostname } = parsedUrl(address) ?? { protocol: '', hostname: '' };
      return /^postgres(ql)?:$/.test(protocol) && (hostname !== '' || addresses.length === 1);
    };
    return !READ_ONLY_SESSION.test(value) && addresses.every(isValid) ? value : undefined;
  },
};
