import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { getAddress, isAddress, type Address } from 'viem';
import { Money } from '../common/money.js';
import { isIpNetwork } from './ip-networks.js';
import { parsedUrl } from '../common/parsed-url.js';

/** Converts the text of a setting into its value. */
export interface Reader<Value> {
  /** Describes the accepted text, after "Set it to" or "is not". */
  readonly expects: string;
  /** Undefined for text that is not accepted. May throw an error that explains why. */
  readonly read: (text: string) => Value | undefined;
}

export const text: Reader<string> = { expects: 'some text', read: (value) => value };

const MIN_DIFFERENT_CHARACTERS = 8;

/** Random text has many different characters; "xxxxxxxx" and "password" have few. */
export function looksRandom(value: string): boolean {
  return new Set(value).size >= MIN_DIFFERENT_CHARACTERS;
}

export function secret(minimumLength: number, { withoutCommas = false } = {}): Reader<string> {
  const isAllowed = (value: string) => !withoutCommas || !value.includes(',');
  return {
    expects: `at least ${minimumLength} characters${withoutCommas ? ' without commas' : ''}, ${MIN_DIFFERENT_CHARACTERS} of them different; make one with: openssl rand -base64 48`,
    read: (value) =>
      value.length >= minimumLength && looksRandom(value) && isAllowed(value) ? value : undefined,
  };
}

/** Several secrets, separated by commas. */
export function secrets(minimumLength: number): Reader<string[]> {
  const { expects, read } = secret(minimumLength, { withoutCommas: true });
  return {
    expects: `${expects}; several are separated by commas`,
    read: (value) => itemsOf(value, (item) => read(item) !== undefined),
  };
}

/** A secret that fits into the header `Authorization: Bearer`. */
export function bearerToken(minimumLength: number): Reader<string> {
  const { expects, read } = secret(minimumLength);
  return {
    expects: `printable ASCII without spaces, ${expects}`,
    read: (value) => (/^[!-~]+$/.test(value) ? read(value) : undefined),
  };
}

/** At least 128 bits. */
export const base64Secret: Reader<string> = {
  expects: 'a secret of at least 16 bytes in base64',
  read: (value) => (/^[A-Za-z0-9+/]{22,}={0,2}$/.test(value) && looksRandom(value) ? value : undefined),
};

/** At least 192 bits, as the Standard Webhooks specification demands. */
export const webhookSecret: Reader<string> = {
  expects: 'whsec_ and a secret of at least 24 bytes in base64',
  read: (value) =>
    /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(value) && looksRandom(value.slice('whsec_'.length))
      ? value
      : undefined,
};

export function url(...protocols: string[]): Reader<string> {
  return {
    expects: `an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    read: (value) => (protocols.includes(parsedUrl(value)?.protocol ?? '') ? value : undefined),
  };
}

/** Has no path and no query: options in the query could switch off the check of certificates. */
export const smtpUrl: Reader<string> = {
  expects: 'an address such as smtps://user:password@mail.example.com or smtp://mail.example.com:587',
  read: (value) => {
    const address = /^smtps?:\/\/(?:[^\s/?#@]+@)?[^\s/?#@]+\/?$/.test(value) ? parsedUrl(value) : undefined;
    if (!address) return undefined;
    const { hostname, username, password } = address;
    const isEncoded = [username, password].every((part) => !/%(?![0-9A-Fa-f]{2})/.test(part));
    return hostname !== '' && isEncoded ? value : undefined;
  },
};

const NAME_OF_SENDER = /[\p{L}\p{N} .&'-]{1,100}|"[^"\\\p{Cc}]{1,100}"/u.source;
const MAIL_ADDRESS = /[^\s<>@"(),:;[\]\\]+@[\p{L}\p{N}_.-]+/u.source;
const MAILBOX = new RegExp(`^(?:(?:${NAME_OF_SENDER}) <${MAIL_ADDRESS}>|${MAIL_ADDRESS})$`, 'u');

/** An e-mail address, with or without a name before it. */
export const mailbox: Reader<string> = {
  expects: 'an e-mail address such as no-reply@example.com or Platform <no-reply@example.com>',
  read: (value) => (MAILBOX.test(value) ? value : undefined),
};

/** The items of a comma-separated list, if every item is valid. */
function itemsOf(value: string, isValid: (item: string) => boolean): string[] | undefined {
  const items = value.split(',').map((item) => item.trim());
  return items.every(isValid) ? items : undefined;
}

/** Several addresses, separated by commas. */
export function urls(...protocols: string[]): Reader<string[]> {
  const single = url(...protocols);
  return {
    expects: `a comma-separated list of addresses that begin with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    read: (value) => itemsOf(value, (item) => single.read(item) !== undefined),
  };
}

export function integer(minimum: number, maximum: number): Reader<number> {
  return {
    expects: `a whole number from ${minimum} to ${maximum}`,
    read: (value) => {
      const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      return number >= minimum && number <= maximum ? number : undefined;
    },
  };
}

/** Money, rates and percentages, as exact decimals. */
export function decimal(minimum: string, maximum: string): Reader<Money> {
  const [least, most] = [Money.of(minimum), Money.of(maximum)];
  return {
    expects: `a decimal number from ${minimum} to ${maximum}, with at most six decimals`,
    read: (value) => {
      const number = Money.parse(value);
      return number && !number.isLessThan(least) && !number.isMoreThan(most) ? number : undefined;
    },
  };
}

/** An amount of USDC or USDT. */
export const amount = decimal('0', '1000000000000');

export const percentage = decimal('0', '100');

/** The word `off`, or what `reader` accepts. */
export function orOff<Value>({ expects, read }: Reader<Value>): Reader<Value | 'off'> {
  return { expects: `${expects}, or off`, read: (value) => (value === 'off' ? value : read(value)) };
}

export function oneOf<const Choice extends string>(...choices: Choice[]): Reader<Choice> {
  return {
    expects: `one of ${choices.join(', ')}`,
    read: (value) => choices.find((choice) => choice === value),
  };
}

export function listOf(pattern: RegExp, expects: string): Reader<string[]> {
  return {
    expects: `a comma-separated list of ${expects}`,
    read: (value) => itemsOf(value, (item) => pattern.test(item)),
  };
}

/** Networks in CIDR notation, separated by commas. */
export const networks: Reader<string[]> = {
  expects: 'a comma-separated list of networks, for example 127.0.0.0/8',
  read: (value) => itemsOf(value, isIpNetwork),
};

/** Addresses or networks of trusted proxies. Rejects `/0` (all addresses), because every client could forge its address. */
export const proxies: Reader<string[]> = {
  expects: 'a comma-separated list of addresses or networks of proxies, for example 10.0.0.0/8',
  read: (value) => itemsOf(value, (item) => isIP(item) !== 0 || (isIpNetwork(item) && !/\/0+$/.test(item))),
};

/** A path segment other than `taken`, which a route of the API uses. */
export function pathSegmentBut(taken: string): Reader<string> {
  return {
    expects: `${pathSegment.expects}, and not ${taken}`,
    read: (value) => (value === taken ? undefined : pathSegment.read(value)),
  };
}

export const pathSegment: Reader<string> = {
  expects: 'lower-case letters, digits and hyphens',
  read: (value) => (/^[a-z0-9][a-z0-9-]{0,39}$/.test(value) ? value : undefined),
};

/** The address with the letter case of its checksum (EIP-55), so that two spellings of one address are equal. */
const checksummed = (value: string): Address => getAddress(value.toLowerCase());

/** True if the letters have one case, or the cases of the checksum: others are a typing error. */
function isEvmAddress(value: string): boolean {
  const digits = value.slice(2);
  const hasOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isAddress(value, { strict: false }) && (hasOneCase || checksummed(value) === value);
}

const EVM_ADDRESS = '0x and 40 hex digits, whose letters have one case or those of the checksum (EIP-55)';

export const evmAddress: Reader<Address> = {
  expects: EVM_ADDRESS,
  read: (value) => (isEvmAddress(value) ? checksummed(value) : undefined),
};

export const evmAddresses: Reader<string[]> = {
  expects: `a comma-separated list of addresses: ${EVM_ADDRESS}`,
  read: (value) => itemsOf(value, isEvmAddress)?.map(checksummed),
};

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n; // of secp256k1

export const privateKey: Reader<`0x${string}`> = {
  expects: '0x and the 64 hex digits of a private key',
  read: (value) => {
    if (!/^0x[0-9a-fA-F]{64}$/.test(value)) return undefined;
    const isKey = BigInt(value) > 0n && BigInt(value) < CURVE_ORDER;
    return isKey ? (value as `0x${string}`) : undefined;
  },
};

export const existingFile: Reader<string> = {
  expects: 'the path of a file that exists',
  read: (value) => (statSync(value, { throwIfNoEntry: false })?.isFile() ? value : undefined),
};
