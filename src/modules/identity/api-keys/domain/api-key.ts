import { createHash, randomBytes } from 'node:crypto';
import { isIPv4, type BlockList } from 'node:net';
import { isIpNetwork } from '../../../../config/ip-networks.js';
import type { DomainEvent } from '../../../../events/domain-events.js';
import { API_KEY_MARK } from '../../../../http/auth/api-key-scopes.js';

// An API key: sk_, base64url of 32 random bytes, and a checksum. Programs that search texts for secrets recognise keys by this
// format, and the service refuses mistyped keys without a query.

const RANDOM_BYTES = 32;
const CHECKSUM_LENGTH = 6;
/** 43 random characters and the checksum follow `sk_`. */
const FORM = /^sk_[\w-]{49}$/;
/** `sk_` and eight random characters. */
const PREFIX_LENGTH = 11;

export function newApiKey(): string {
  const secret = API_KEY_MARK + randomBytes(RANDOM_BYTES).toString('base64url');
  return secret + checksumOf(secret);
}

/** True for a text with the form and the checksum of a key; the key need not exist. */
export function isWellFormedApiKey(text: string): boolean {
  return FORM.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The beginning of a key, by which its owner recognises it later. */
export function prefixOfApiKey(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

function checksumOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url').slice(0, CHECKSUM_LENGTH);
}

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

/** Topic `api-key`: the keys of a user, and the networks from which they are used. */
export interface ApiKeyEvent extends DomainEvent {
  readonly name: 'api-key.created' | 'api-key.revoked' | 'api-key.used-from-new-network';
  /** The name that the user has given to the key. */
  readonly keyName: string;
  /** The first characters of the key. */
  readonly prefix: string;
  /** Of a use from a new network: its IP address, `unknown`, or the text `MANY_NETWORKS`. Null for the other events. */
  readonly address: string | null;
  /** Of `api-key.revoked`: a change of the user's e-mail address has revoked the key, and the mails about the change name it. */
  readonly byEmailChange?: boolean;
}
