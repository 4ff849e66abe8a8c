// What a search text can be: the beginning of an id, a hash, an address or an e-mail address.

/** A shorter text finds only the e-mail address that equals it, and no other key. */
const MIN_PREFIX_LENGTH = 8;
const UUID_DIGITS = 32;

/** At least the first eight digits of an id, with or without hyphens. */
const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{0,4}){0,3}(-?[0-9a-f]{0,12})$/;
/** At least the first eight digits of a transaction hash, with or without 0x. */
const HASH = /^(0x)?[0-9a-f]{8,64}$/;
/** At least the first eight characters of an address on an EVM chain or on TRON, where addresses begin with T. */
const ADDRESS = /^(0x[0-9a-f]{6,40}|t[1-9a-z]{7,33})$/;

/** A range of text or ids, both ends included. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** The ranges of keys that begin with the text, in lower case; undefined or empty if no key of the kind can begin with it. */
export interface SearchKeys {
  readonly id: KeyRange | undefined;
  /** With the prefix 0x, and without it as on TRON. */
  readonly hashes: readonly KeyRange[];
  readonly address: KeyRange | undefined;
  readonly email: KeyRange;
}

export function searchKeysOf(text: string): SearchKeys {
  const key = text.trim().toLowerCase();
  const digits = key.replace(/^0x/, '');
  return {
    id: UUID.test(key) ? idsFrom(key.replaceAll('-', '')) : undefined,
    hashes: HASH.test(key) ? [textFrom(`0x${digits}`), textFrom(digits)] : [],
    address: ADDRESS.test(key) ? textFrom(key) : undefined,
    email: key.length < MIN_PREFIX_LENGTH ? { from: key, to: key } : textFrom(key),
  };
}

/** Text that begins with `prefix`. The index compares bytes, and no character of a key comes after U+10FFFF. */
const textFrom = (prefix: string): KeyRange => ({ from: prefix, to: `${prefix}\u{10ffff}` });

function idsFrom(digits: string): KeyRange {
  return { from: digits.padEnd(UUID_DIGITS, '0'), to: digits.padEnd(UUID_DIGITS, 'f') };
}
